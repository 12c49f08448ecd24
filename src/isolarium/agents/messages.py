"""The forms of what sandboxed processes answer: choices, numbers and facts, each validated on arrival."""

from typing import Any, Final, Literal

from pydantic import Field, ValidationError

from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.processes.sandboxed_process import Message
from isolarium.search.protocol import Choice, Report
from isolarium.text import printable

MOST: Final = 1 << 40
LONGEST_LINE: Final = 200
"""Moves of a principal variation; no board has more squares."""

Number = float | Literal["inf", "-inf"]
"""A number in an answer; JSON has no infinite ones."""


class ChoiceMessage(Message):
    """A choice with its report; squares are numbers of the board."""

    move: int = Field(ge=0, le=LONGEST_LINE)
    score: Number | None
    depth: int = Field(ge=0, le=MOST)
    nodes: int = Field(ge=0, le=MOST)
    time_ms: float = Field(ge=0, le=MOST)
    pv: list[int] = Field(max_length=LONGEST_LINE)
    proven: bool
    plies: int | None = Field(ge=0, le=LONGEST_LINE)


class ParameterMessage(Message):
    """See `isolarium.heuristics.description.Parameter`."""

    name: str = Field(max_length=100)
    default: str = Field(max_length=1000)
    takes: str = Field(max_length=1000)


class FactsMessage(Message):
    """See `isolarium.heuristics.description.facts`."""

    name: str = Field(max_length=1000)
    family: str = Field(max_length=100)
    report: str = Field(max_length=100)
    formula: str = Field(max_length=1000)
    parameters: list[ParameterMessage] = Field(max_length=100)
    about: str = Field(max_length=10_000)


class HeuristicMessage(Message):
    """The facts about a heuristic, and where it comes from."""

    facts: FactsMessage
    origin: str = Field(max_length=100)


def facts_of(message: Any) -> tuple[dict[str, Any], str] | None:
    """Return the facts about a heuristic and its origin; None if that is not what the message holds."""
    try:
        found = HeuristicMessage.model_validate(message)
    except ValidationError:
        return None
    facts: dict[str, Any] = _printable(found.facts.model_dump())
    return facts, printable(found.origin)


def _printable(value: Any) -> Any:
    """Return texts, lists and objects with all control characters replaced."""
    if isinstance(value, str):
        return "\n".join(map(printable, value.split("\n")))
    if isinstance(value, list):
        return [_printable(one) for one in value]
    return {name: _printable(one) for name, one in value.items()}


def number_of(message: float | str | None) -> float | None:
    """Return the number of a message; None where there is none."""
    return None if message is None else float(message)


def choice_of(message: ChoiceMessage, position: Position) -> Choice:
    """Return the choice of a message about a position; its line ends where that breaks the rules.

    Raises:
        InputError: If the move is not legal.
    """
    move = _square(position.board, message.move)
    if move is None or position.why_illegal(move) is not None:
        raise InputError(f"chose {'square ' + str(message.move) if move is None else move}")
    return Choice(
        move,
        Report(
            number_of(message.score),
            message.depth,
            message.nodes,
            message.time_ms,
            _line(message.pv, move, position),
            message.proven,
            message.plies,
        ),
    )


def _line(numbers: list[int], move: Square, position: Position) -> tuple[Square, ...]:
    line = list[Square]()
    for number in numbers:
        square = _square(position.board, number)
        if square is None or position.why_illegal(square) is not None:
            break
        line.append(square)
        position = position.play(square)
    return tuple(line) if line[:1] == [move] else (move,)


def _square(board: Board, number: int) -> Square | None:
    return board.squares[number] if 0 <= number < board.size else None
