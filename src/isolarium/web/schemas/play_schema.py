"""Games, agents and moves, as Play asks for them."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from isolarium.web.schemas.common import (
    AgentText,
    GameText,
    JobId,
    PlayerName,
    Request,
    Score,
    Seed,
)


class ReadRequest(Request):
    """A text to be read as a game."""

    text: GameText
    board: Annotated[str, Field(max_length=20, examples=["7x7"])] | None = None


class End(BaseModel):
    """How a game ended."""

    winner: PlayerName
    reason: str


class ReadGame(BaseModel):
    """A game in every notation, and where it stands."""

    text: str
    json_text: str = Field(serialization_alias="json")
    replay: str | None
    start: str
    board: str
    moves: list[str]
    position: str
    to_move: PlayerName
    legal: list[str]
    outcome: End | None


class AgentRequest(Request):
    """An agent's spec to be read."""

    agent: AgentText


class ReadAgent(BaseModel):
    """An agent, in full."""

    agent: str


class MoveRequest(Request):
    """An agent to move in a game."""

    game: GameText
    agent: AgentText
    seed: Seed = 1


class Report(BaseModel):
    """How an agent came to its move."""

    score: Score
    depth: int
    nodes: int
    ms: float
    pv: list[str]
    proven: bool
    plies: int | None


class Move(BaseModel):
    """A move with its report."""

    move: str
    agent: str
    report: Report
    stopped: bool


class ThinkRequest(MoveRequest):
    """The same on a WebSocket."""

    id: JobId


class StopRequest(Request):
    """End what was asked under an id."""

    id: JobId
    stop: Literal[True]
