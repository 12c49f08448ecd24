"""What is said about starts and puzzles."""

from typing import Annotated

from pydantic import BaseModel, Field

from isolab.web.schemas import PlayerName, Request


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


class PuzzlePosition(BaseModel):
    """A position in which only one move wins, and in how many plies."""

    number: int
    count: int
    position: str
    to_move: PlayerName
    legal: list[str]
    plies: int


class PuzzleTry(Request):
    """A move to be tried."""

    move: Annotated[str, Field(max_length=10, examples=["e6"])]


class PuzzleAnswer(BaseModel):
    """Whether it was right, and what is."""

    number: int
    move: str
    right: bool
    answer: str
    plies: int
