"""Starts and puzzles, as Learn asks for them."""

from typing import Annotated

from pydantic import BaseModel, Field

from isolarium.web.schemas.common import PlayerName, Request


class ExceptionAt(BaseModel):
    """A pair of placements where the colour law is wrong; `mirror` says that the mirror theorem explains it."""

    first: str
    second: str
    mirror: bool


class Starts(BaseModel):
    """Who wins each pair of placements.

    The counts are up to symmetry. `map` has a line for each first square, row by row, with a letter for each second
    square: F where the first player wins, S where the second does, - where they are the same.
    """

    board: str
    starts: int
    wins: int
    exceptions: int
    mirrors: int
    map: list[str]
    exceptions_at: list[ExceptionAt]
    law: str


class PuzzleList(BaseModel):
    """How hard each puzzle is, the first one's number being 1; they go from easy to hard."""

    count: int
    difficulties: list[int]


class PuzzlePosition(BaseModel):
    """A position in which only one move wins, in how many plies, how hard it is, and how many moves are to be found."""

    number: int
    count: int
    position: str
    to_move: PlayerName
    legal: list[str]
    plies: int
    difficulty: int
    moves: int


class PuzzleTry(Request):
    """A move to be tried; `step` is how many of the moves were found before it."""

    move: Annotated[str, Field(max_length=10, examples=["e6"])]
    step: Annotated[int, Field(ge=0, le=100)] = 0


class PuzzleAnswer(BaseModel):
    """Whether it was right, and what is; while there are more moves to find, what the other replies."""

    number: int
    move: str
    right: bool
    answer: str
    plies: int
    reply: str | None
