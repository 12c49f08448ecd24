"""Routes of friend matches, created over HTTP and played over a WebSocket."""

import asyncio
import logging
from contextlib import suppress
from json import JSONDecodeError, dumps, loads
from secrets import choice
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Request, WebSocket
from pydantic import BaseModel, Field, ValidationError
from starlette.websockets import WebSocketDisconnect, WebSocketState

from isolarium.errors import InputError
from isolarium.web.connection_limits import client_of
from isolarium.web.friend_match import Action, Clock, Terms
from isolarium.web.http_errors import BODY_ERRORS, HttpError, error_responses, error_text, status_of
from isolarium.web.lobby import LiveMatch, Visitor
from isolarium.web.schema import RequestBody
from isolarium.web.services import ServicesDep, services_of

HELLO_S: Final = 15.0
"""The deadline for the first message of a connection."""
MOST_CHARS: Final = 500

_log = logging.getLogger(__name__)

router = APIRouter(prefix="/api", tags=["friend"])


class OpenRequest(RequestBody):
    """The terms of a game with a friend."""

    board: Annotated[str, Field(max_length=20, examples=["7x7"])] = "7x7"
    first: Literal["me", "friend", "lot"] = "lot"
    clock: Clock | None = None


class Opened(BaseModel):
    """The tokens of a game, which its links contain in their fragments.

    Anyone who has a token may use it.
    """

    seat: str
    friend: str
    watch: str


class Hello(RequestBody):
    """The first message of a connection."""

    token: Annotated[str, Field(min_length=1, max_length=100)]


@router.post("/friend", responses=error_responses(*BODY_ERRORS, 409, 503, 507))
async def open_game(wanted: OpenRequest, request: Request, services: ServicesDep) -> Opened:
    """Create a game between two people."""
    opener_first = wanted.first == "me" or (wanted.first == "lot" and choice((True, False)))
    terms = Terms(board=wanted.board, opener_first=opener_first, clock=wanted.clock)
    tokens = services.lobby.open(terms, client_of(request).address)
    return Opened(seat=tokens.seat, friend=tokens.friend, watch=tokens.watch)


@router.websocket("/friend")
async def play(socket: WebSocket) -> None:
    """Play a game or watch it."""
    await socket.accept()
    with suppress(WebSocketDisconnect, RuntimeError):  # Disconnected
        try:
            hello = Hello.model_validate(await asyncio.wait_for(_read(socket), HELLO_S))
            live_match, seat = services_of(socket).lobby.find(hello.token)
            visitor = await live_match.enter(seat)
        except TimeoutError:
            await _refuse(socket, HttpError(408, "expected a token"))
            return
        except (InputError, OSError, HttpError, ValidationError) as error:
            await _refuse(socket, error)
            return
        await _converse(socket, live_match, visitor)


async def _converse(socket: WebSocket, live_match: LiveMatch, visitor: Visitor) -> None:
    sending = asyncio.Lock()
    sender = asyncio.create_task(_send_states(socket, live_match, visitor, sending))
    try:
        while True:
            answer = await _act_on(await _read(socket), live_match, visitor)
            async with sending:
                await socket.send_text(dumps(answer))
    except InputError as error:
        await _refuse(socket, error)
    finally:
        live_match.leave(visitor)
        sender.cancel()


async def _act_on(message: Any, live_match: LiveMatch, visitor: Visitor) -> dict[str, Any]:
    """Carry out a message, and return the answer: a confirmation or an error."""
    try:
        if message == {"do": "ping"}:
            return {"kind": "pong"}
        action = Action.model_validate(message)
        if visitor.seat is None:
            raise HttpError(403, "spectators cannot play")
        await live_match.act(visitor.seat, action)
    except (InputError, HttpError, ValidationError) as error:
        return _problem(error)
    except OSError as error:
        _log.warning("an event of a friend match cannot be recorded: %s", error)
        return _problem(error)
    return {"kind": "heard"}


async def _send_states(socket: WebSocket, live_match: LiveMatch, visitor: Visitor, sending: asyncio.Lock) -> None:
    """Send the state of the match, now and after every change."""
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await visitor.news.wait()
            visitor.news.clear()
            async with sending:
                await socket.send_text(dumps(live_match.state_for(visitor.seat)))


async def _read(socket: WebSocket) -> Any:
    text = (await _receive(socket)).get("text")
    if text is not None and len(text) > MOST_CHARS:
        raise InputError(f"a message of {len(text):,} characters: expected at most {MOST_CHARS}")
    if text is None:
        raise InputError("a binary message: expected text")
    try:
        return loads(text)
    except (JSONDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"not JSON: {error}") from None


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
    return {"kind": "error", "error": error_text(error), "status": status_of(error)}
