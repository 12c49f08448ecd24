"""Values of moves and the best lines, as Analyse asks for them."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from isolarium.web import quotas
from isolarium.web.schemas.common import (
    AgentText,
    GameText,
    HeuristicText,
    JobId,
    PlayerName,
    Request,
    Score,
    Seed,
)


class ValuesRequest(Request):
    """What is wanted of every legal move."""

    game: GameText
    exact: bool = True
    heuristics: Annotated[list[HeuristicText], Field(max_length=quotas.HEURISTICS)] = Field(
        default_factory=list
    )
    searches: Annotated[list[AgentText], Field(max_length=quotas.SEARCHES)] = Field(
        default_factory=list
    )
    seed: Seed = 1


Value = Literal["wins", "loses", "unknown"]


class MoveValue(BaseModel):
    """What a move is worth to the player who makes it."""

    move: str
    value: Value
    plies: int | None
    heuristics: list[Score]
    searches: list[Score]


class Values(BaseModel):
    """What a position and its moves are worth to the player to move.

    `stopped` says that time was up before all searches were through: moves may have no value by them, or a poorer one.
    """

    position: str
    to_move: PlayerName
    value: Value
    plies: int | None
    nodes: int
    ms: float
    stopped: bool
    moves: list[MoveValue]


class AnalyseRequest(Request):
    """A game to be marked, on a WebSocket."""

    id: JobId
    game: GameText
    heuristic: HeuristicText | None = None
    first_ply: Annotated[int, Field(ge=1, le=1000, description="The first move to be marked.")] = 1


class LineRequest(Request):
    """A game to be played to its end by both as well as can be."""

    game: GameText


class Line(BaseModel):
    """Best play for both from a position on, as far as who wins is proven: no moves where it is not.

    `moves` from the place `exact` on, counted from 0, are the quickest win against the longest resistance. Those of the
    winner before it win too; those of the loser leave as few winning replies as could be found. `ends` says that the
    last one ends the game.
    """

    position: str
    to_move: PlayerName
    value: Value
    moves: list[str]
    exact: int
    ends: bool
