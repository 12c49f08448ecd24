"""What `go` asks for: which limit its words mean, and how much of the time on a game's clock a move may take."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from isolarium.agents import AgentSpec
from isolarium.errors import InputError, quoted
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.limits import Limit

NUMBERS: Final = ("depth", "nodes", "movetime", "p1time", "p2time", "p1inc", "p2inc")
INFINITE: Final = "infinite"
UNBOUNDED: Final = Limit(nodes=10**15)
"""No end but the truth, or `stop`."""
LEAST_SHARES: Final = 4
OVERHEAD_MS: Final = 10.0
"""What answering takes, beside thinking."""
MOST_OF_CLOCK: Final = 0.8


class Clock(NamedTuple):
    """What a player has left for all its moves, and what each move adds, in milliseconds."""

    left_ms: float
    increment_ms: float


def read_go(words: Sequence[str], position: Position, spec: AgentSpec) -> Limit:
    """The limit that the words after `go` mean; without any, it is the agent's own.

    Raises:
        InputError: they are none of `go`'s.
    """
    given = _read_words(words)
    if not spec.kind.takes_limit or not given:
        return spec.limit
    depth, nodes = given.get("depth"), given.get("nodes")
    time_ms: float | None = given.get("movetime")
    clock = _clock(given, position.to_move)
    if clock is not None:
        time_ms = min(time_ms or clock.left_ms, time_for_move(clock, position))
    if depth is None and nodes is None and time_ms is None:
        return UNBOUNDED
    if nodes is None and time_ms is None and not spec.kind.ends_at_depth:
        nodes = spec.limit.nodes or spec.kind.default_limit.nodes
    return Limit(None if depth is None else max(1, depth), nodes, time_ms)


def time_for_move(clock: Clock, position: Position) -> float:
    """What to spend on a move, in milliseconds: an even share of what is left, and most of what the move adds.

    A player has at most half of the blank squares to go to, and games end with about half of these still blank.
    """
    shares = max(LEAST_SHARES, position.blank_count / 4)
    wanted_ms = clock.left_ms / shares + 0.75 * clock.increment_ms
    return max(1.0, min(wanted_ms, MOST_OF_CLOCK * clock.left_ms) - OVERHEAD_MS)


def _clock(given: dict[str, int], player: Player) -> Clock | None:
    number = player + 1
    left_ms = given.get(f"p{number}time")
    if left_ms is None:
        if any(name in given for name in NUMBERS[3:]):
            raise InputError(f"go: no p{number}time, and it is p{number}'s turn")
        return None
    return Clock(max(1, left_ms), given.get(f"p{number}inc", 0))


def _read_words(words: Sequence[str]) -> dict[str, int]:
    """The numbers by their names; `infinite` is 1."""
    given, rest = dict[str, int](), iter(words)
    for name in rest:
        if name in given:
            raise InputError(f"go: {name} is given twice; expected it once")
        if name == INFINITE:
            given[name] = 1
        elif name in NUMBERS:
            given[name] = _read_number(name, next(rest, ""))
        else:
            known = ", ".join([*NUMBERS, INFINITE])
            raise InputError(f"go: {quoted(name)}; expected some of {known}")
    return given


def _read_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 16 and int(text) <= 10**15):
        raise InputError(f"go: {name} {quoted(text)}; expected a whole number up to 1e15")
    return int(text)
