"""What a request may contain: an agent's search effort, the length of a game, and the fields of request bodies."""

from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from isolarium.agents import AgentSpec
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_start
from isolarium.game.position import Player
from isolarium.game.record import GameRecord, read_game
from isolarium.limits import Limit
from isolarium.spec.parser import MOST_CHARS

NODES: Final = 5_000_000
MS: Final = 10_000
DEPTH: Final = 30
FIXED: Final = {"threads": 1}
"""Search options that a request may not change."""
NODES_PER_S: Final = 1_000_000
"""A low estimate of the speed of most searches."""
CALLS: Final = 100_000
GAME_CHARS: Final = 8_000
PAIRS: Final = 20_000
AGENTS: Final = 20
"""The maximum number of agents, and of opponents, in a run started from a page."""
HEURISTICS: Final = 2
SEARCHES: Final = 2
QUICK_NODES: Final = 50_000
QUICK_MS: Final = 100
"""The limits of a quick search, which goes to a queue without long searches."""


def check_budget(owner: object, limit: Limit) -> None:
    """Check that a search limit is within the limits of a request.

    Raises:
        InputError: If the limit is too high; the message starts with `owner`.
    """
    for name, value, most in (
        ("nodes", limit.nodes, NODES),
        ("ms", limit.time_ms, MS),
        ("depth", limit.depth, DEPTH),
        ("calls", limit.calls, CALLS),
    ):
        if value is not None and value > most:
            raise InputError(f"{owner}: {name}={value:g}: expected at most {most:,} here")


def check_agent(spec: AgentSpec) -> None:
    """Check that an agent's options and limit are allowed in a request.

    Raises:
        InputError: If an option or the limit is not allowed.
    """
    check_budget(spec, spec.limit)
    for name, value in FIXED.items():
        given = spec.options.get(name, value)
        if given != value:
            raise InputError(f"{spec}: {name}={given:g}: expected {value} here")


def check_quick(spec: AgentSpec) -> None:
    """Check that an agent is fast enough to search every move of a position.

    Raises:
        InputError: If the agent is too slow.
    """
    if not is_quick(spec):
        raise InputError(f"{spec}: expected at most nodes={QUICK_NODES} or ms={QUICK_MS} when every move is searched")


def is_quick(spec: AgentSpec) -> bool:
    """Return whether an agent moves quickly."""
    limit = spec.limit
    if not spec.kind.takes_limit:
        return True
    by_nodes = limit.nodes is not None and limit.nodes <= QUICK_NODES
    return by_nodes or (limit.time_ms is not None and limit.time_ms <= QUICK_MS)


def cost_s(spec: AgentSpec) -> float:
    """Return a rough estimate of an agent's time for a move."""
    if not spec.kind.takes_limit:
        return 0.0
    nodes, ms = spec.limit.nodes, spec.limit.time_ms
    by_nodes = MS / 1000 if nodes is None else nodes / NODES_PER_S
    return min(by_nodes, MS / 1000 if ms is None else ms / 1000)


def read_any(text: str, board: Board | None = None) -> GameRecord:
    """Parse a game in any notation.

    A board or a position alone is a game without moves.

    Raises:
        InputError: If the text is not a game.
    """
    if len(text) > GAME_CHARS:
        raise InputError(f"a game of {len(text):,} characters: expected at most {GAME_CHARS:,}")
    if ":" in text or text.lstrip()[:1] in ("{", "["):
        return read_game(text, board)
    return GameRecord(parse_start(text))


# Fields of requests


GameText = Annotated[
    str,
    Field(
        max_length=GAME_CHARS,
        description="A game in any notation, or a board or a position alone.",
        examples=["7x7: d4 b3", "7/7/2A4/3x3/4B2/7/7 a: b5"],
    ),
]
AgentText = Annotated[
    str,
    Field(
        min_length=1, max_length=MOST_CHARS, description="An agent's spec.", examples=["alphabeta:improved@nodes=8000"]
    ),
]
HeuristicText = Annotated[str, Field(min_length=1, max_length=MOST_CHARS, examples=["improved"])]
Seed = Annotated[int, Field(ge=0, lt=1 << 62, description="Random seed; the same seed gives the same moves.")]
PlayerName = Literal["first", "second"]
Score = Annotated[
    float | str | None,
    Field(description="A number, inf, -inf, or a proven result: win or loss, with the plies to the end if known."),
]


def player_name(player: Player) -> PlayerName:
    """Return a player's name in the API."""
    return "first" if player is Player.FIRST else "second"


class RequestBody(BaseModel):
    """A request body: types are not converted, and unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", strict=True)
