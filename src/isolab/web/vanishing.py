"""Waiting for a job on behalf of a client that may go away."""

import asyncio
from collections.abc import Mapping
from typing import Any

from fastapi import Request

from isolab.web.pool import Job
from isolab.web.problems import Refused

GONE = 499
"""What some servers write down for a client that has left; nobody reads it."""


async def answer_unless_gone(job: Job, request: Request) -> Mapping[str, Any]:
    """A job's answer; it is abandoned if the client leaves.

    Raises:
        Refused: the client has left.
    """
    answer = asyncio.ensure_future(job.answer())
    gone = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((answer, gone), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise Refused(GONE, "the client has left")
        return answer.result()
    finally:
        answer.cancel()
        gone.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
