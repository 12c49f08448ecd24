"""What one request may ask for: so much of an agent's time, and a game of such a length."""

from typing import Final

from isolarium.agents import AgentSpec
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_start
from isolarium.game.record import GameRecord, read_game
from isolarium.limits import Limit

NODES: Final = 5_000_000
MS: Final = 10_000
DEPTH: Final = 30
FIXED: Final = {"threads": 1}
"""Options of searches that a request may not choose."""
NODES_PER_S: Final = 1_000_000
"""What most searches enter at least."""
CALLS: Final = 100_000
GAME_CHARS: Final = 8_000
PAIRS: Final = 20_000
AGENTS: Final = 20
"""Who may play in a run that a page begins: so many, and opponents."""
HEURISTICS: Final = 2
SEARCHES: Final = 2
QUICK_NODES: Final = 50_000
QUICK_MS: Final = 100
"""A search within these is quick: it goes into a lane that no long one holds up."""


def check_budget(asked: object, limit: Limit) -> None:
    """See that a limit is no more than a request may ask for.

    Raises:
        InputError: names who asks, the limit and its cap.
    """
    for name, value, most in (
        ("nodes", limit.nodes, NODES),
        ("ms", limit.time_ms, MS),
        ("depth", limit.depth, DEPTH),
        ("calls", limit.calls, CALLS),
    ):
        if value is not None and value > most:
            raise InputError(f"{asked}: {name}={value:g}: expected at most {most:,} here")


def check_agent(spec: AgentSpec) -> None:
    """See that an agent takes no more of the machine than a request may ask for.

    Raises:
        InputError: names the agent, and what is too much.
    """
    check_budget(spec, spec.limit)
    for name, value in FIXED.items():
        given = spec.options.get(name, value)
        if given != value:
            raise InputError(f"{spec}: {name}={given:g}: expected {value} here")


def check_quick(spec: AgentSpec) -> None:
    """See that an agent can be asked about every move of a position.

    Raises:
        InputError: it takes too long.
    """
    if not is_quick(spec):
        raise InputError(
            f"{spec}: expected at most nodes={QUICK_NODES} or ms={QUICK_MS} where every move is searched"
        )


def is_quick(spec: AgentSpec) -> bool:
    """Whether an agent moves in no time."""
    limit = spec.limit
    if not spec.kind.takes_limit:
        return True
    by_nodes = limit.nodes is not None and limit.nodes <= QUICK_NODES
    return by_nodes or (limit.time_ms is not None and limit.time_ms <= QUICK_MS)


def cost_s(spec: AgentSpec) -> float:
    """How long an agent may be expected to take for a move, roughly."""
    if not spec.kind.takes_limit:
        return 0.0
    nodes, ms = spec.limit.nodes, spec.limit.time_ms
    by_nodes = MS / 1000 if nodes is None else nodes / NODES_PER_S
    return min(by_nodes, MS / 1000 if ms is None else ms / 1000)


def read_any(text: str, board: Board | None = None) -> GameRecord:
    """The game in any notation; a board or a position alone is a game that begins there.

    Raises:
        InputError: the text is no game.
    """
    if len(text) > GAME_CHARS:
        raise InputError(f"a game of {len(text):,} characters: expected at most {GAME_CHARS:,}")
    if ":" in text or text.lstrip()[:1] in ("{", "["):
        return read_game(text, board)
    return GameRecord(parse_start(text))
