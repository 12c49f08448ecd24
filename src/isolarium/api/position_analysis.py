"""Positions and games analysed by agents."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from isolarium.analysis.accuracy import Marker
from isolarium.analysis.agent_analysis import Analysis, analysed
from isolarium.api.arguments import AgentLike, read_specs
from isolarium.api.display import Displayed
from isolarium.api.progress_bar import progress_bar
from isolarium.errors import InputError, check_kind
from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, read_position_or_game
from isolarium.limits import Limit
from isolarium.processes.own_code import Names
from isolarium.reporting.analysis_tables import analysis_blocks, analysis_json
from isolarium.reporting.model import Block, Paragraph, Section
from isolarium.search.protocol import Choice


class Analysed(Displayed):
    """A position or a game analysed by agents.

    Args:
        found: The analysis.

    Attributes:
        target: The position or the game.
        agents: The agents' specs.
    """

    def __init__(self, found: Analysis) -> None:
        self._found = found
        self.target = found.target
        self.agents = tuple(map(str, found.specs))

    @property
    def choices(self) -> list[list[Choice]]:
        """Every agent's choice, for each position in which a move was made; one for a position."""
        rows = self._found.opinions
        return [[one.choice for one in row if one.choice is not None] for row in rows]

    @property
    def moves(self) -> list[list[Square]]:
        """Every agent's move, in the same order as `choices`."""
        return [[choice.move for choice in row] for row in self.choices]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON output of the command."""
        return analysis_json(self._found)

    def _title(self) -> str:
        return ""

    def _blocks(self) -> Iterable[Block]:
        return _without_sections(analysis_blocks(self._found))


def _without_sections(blocks: Iterable[Block | Section]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Section):
            yield Paragraph(block.title)
            yield from block.blocks
        else:
            yield block


def analyze(
    target: str | Position | GameRecord,
    agents: AgentLike | Sequence[AgentLike] = "alphabeta:improved",
    *,
    seed: int = 0,
    progress: bool | None = None,
) -> Analysed:
    """Analyse a position, or every move of a game, with agents and the solver.

    Args:
        target: A position, a game, or the text of one; ROWSxCOLS is an empty board.
        agents: The agents' specs, or your own heuristics and agents, as in `match`.
        seed: Random seed of the agents.
        progress: Whether to show progress; by default on a terminal and in a notebook.

    Raises:
        InputError: If an argument is invalid, an agent fails, or the position's game is over.

    Example:
        >>> analysed = isolarium.analyze("5/1A3/5/3B1/5 a", ["greedy:open", "alphabeta:open@depth=3"])
        >>> [str(move) for move in analysed.moves[0]]
        ['d3', 'a4']
    """
    if isinstance(target, str):
        target = read_position_or_game(target)
    check_kind("target", target, (Position, GameRecord), "a position, a game, or its text")
    if isinstance(target, Position) and target.outcome() is not None:
        raise InputError(f"{target}: this game is over; expected a position with a legal move")
    specs = read_specs("agents", agents, Names())
    with progress_bar(progress) as bar:

        def tell(label: str, limit: Limit, seconds: float) -> None:
            if bar is not None:
                bar.tell(f"{label} · {seconds:.1f} s")

        with analysed(target, specs, seed, tell=tell, stop=lambda: False, preparing=nullcontext()) as found:
            for failure in (one.failure for row in found.opinions for one in row if one.failure):
                raise InputError(failure)
            if isinstance(target, GameRecord):
                found.accuracy = Marker().mark(target)
    return Analysed(found)
