"""Routes for a friend by link: a meeting is opened over HTTP and played over a WebSocket."""

import asyncio
import logging
from contextlib import suppress
from json import dumps
from secrets import choice
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Request, WebSocket
from pydantic import BaseModel, Field, ValidationError
from starlette.websockets import WebSocketDisconnect, WebSocketState

from isolarium.errors import InputError
from isolarium.web.friends.friend_match import Clock, Terms, Wanted
from isolarium.web.friends.lobby import Line, Room
from isolarium.web.http_errors import OF_BODIES, Refused, problems, status_of, told
from isolarium.web.jobs.websocket_jobs import read_json
from isolarium.web.rate_limits import client_of
from isolarium.web.schema import RequestBody
from isolarium.web.services import Served, services_of

HELLO_S: Final = 15.0
"""Within this somebody says who it is."""
MOST_CHARS: Final = 500

_log = logging.getLogger(__name__)

router = APIRouter(prefix="/api", tags=["friend"])


class OpenRequest(RequestBody):
    """A game with a friend, as somebody wants to have it."""

    board: Annotated[str, Field(max_length=20, examples=["7x7"])] = "7x7"
    first: Literal["me", "friend", "lot"] = "lot"
    clock: Clock | None = None


class Opened(BaseModel):
    """What opens it: each is the fragment of a link, and whoever has it may do what it says."""

    seat: str
    friend: str
    watch: str


class Hello(RequestBody):
    """The first message."""

    token: Annotated[str, Field(min_length=1, max_length=100)]


@router.post("/friend", responses=problems(*OF_BODIES, 409, 503, 507))
async def open_game(wanted: OpenRequest, request: Request, services: Served) -> Opened:
    """Open a game between two persons."""
    opener_first = wanted.first == "me" or (wanted.first == "lot" and choice((True, False)))
    terms = Terms(board=wanted.board, opener_first=opener_first, clock=wanted.clock)
    tokens = services.lobby.open(terms, client_of(request).address)
    return Opened(seat=tokens.seat, friend=tokens.friend, watch=tokens.watch)


@router.websocket("/friend")
async def play(socket: WebSocket) -> None:
    """Play it, or watch."""
    await socket.accept()
    with suppress(WebSocketDisconnect, RuntimeError):  # gone
        try:
            hello = Hello.model_validate(await asyncio.wait_for(_hear(socket), HELLO_S))
            room, seat = services_of(socket).lobby.find(hello.token)
            line = await room.enter(seat)
        except TimeoutError:
            await _refuse(socket, Refused(408, "expected a token"))
            return
        except (InputError, OSError, Refused, ValidationError) as error:
            await _refuse(socket, error)
            return
        await _converse(socket, room, line)


async def _converse(socket: WebSocket, room: Room, line: Line) -> None:
    sending = asyncio.Lock()
    telling = asyncio.create_task(_tell(socket, room, line, sending))
    try:
        while True:
            problem = await _obey(await _hear(socket), room, line)
            async with sending:
                await socket.send_text(dumps(problem))
    except InputError as error:
        await _refuse(socket, error)
    finally:
        room.leave(line)
        telling.cancel()


async def _obey(said: Any, room: Room, line: Line) -> dict[str, Any]:
    """Do what a message says; the answer, which says that it was heard or what is wrong with it."""
    try:
        if said == {"do": "ping"}:
            return {"kind": "pong"}
        wanted = Wanted.model_validate(said)
        if line.seat is None:
            raise Refused(403, "who watches does not play")
        await room.act(line.seat, wanted)
    except (InputError, Refused, ValidationError) as error:
        return _problem(error)
    except OSError as error:
        _log.warning("a game between friends cannot be written down: %s", error)
        return _problem(error)
    return {"kind": "heard"}


async def _tell(socket: WebSocket, room: Room, line: Line, sending: asyncio.Lock) -> None:
    """Say where the meeting stands, and again whenever that changes."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await line.news.wait()
            line.news.clear()
            async with sending:
                await socket.send_text(dumps(room.told(line.seat)))


async def _hear(socket: WebSocket) -> Any:
    text = (await _receive(socket)).get("text")
    if text is not None and len(text) > MOST_CHARS:
        raise InputError(f"a message of {len(text):,} characters: expected at most {MOST_CHARS}")
    return read_json(text)


async def _receive(socket: WebSocket) -> Any:
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"])
    return message


async def _refuse(socket: WebSocket, error: Exception) -> None:
    if socket.client_state is WebSocketState.CONNECTED:
        await socket.send_text(dumps(_problem(error)))
        await socket.close(1008)


def _problem(error: Exception) -> dict[str, Any]:
    return {"kind": "error", "error": told(error), "status": status_of(error)}
