"""Positions and games analysed by agents, and positions labelled with exact values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from isolarium.analysis.accuracy import Marker
from isolarium.analysis.agent_analysis import Analysis, analysed
from isolarium.analysis.label_pipeline import Progress, make_labels, make_plan
from isolarium.analysis.label_store import BoardLabels, read_facts
from isolarium.analysis.label_store import read_labels as read_boards
from isolarium.analysis.labeller import MOST_NODES, Reach
from isolarium.api.arguments import AgentLike, read_board, read_path, read_specs, read_workers, whole_number
from isolarium.api.display import Displayed, Records, progress_bar
from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, read_position_or_game
from isolarium.limits import Limit, read_seed
from isolarium.processes.own_code import Names
from isolarium.reporting.analysis_tables import analysis_blocks, analysis_json
from isolarium.reporting.exact_tables import label_blocks, label_table
from isolarium.reporting.model import Block, Paragraph, Section, table_records
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


class Labels(Displayed):
    """Positions with every move solved, by board.

    `labels["9x11"]["wins"]` is an array.

    Args:
        folder: The folder with the labels.

    Attributes:
        folder: The folder with the labels.
        facts: The settings and statistics of the labels, as stored in `labels.json`.

    Raises:
        InputError: If the folder has no labels, or they are unfinished or invalid.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.facts = folder, read_facts(folder)
        self._boards = {str(labels.board): labels for labels in read_boards(folder)}

    @property
    def boards(self) -> Mapping[str, BoardLabels]:
        """The positions of each board by its name."""
        return self._boards

    def __getitem__(self, board: str | Board) -> BoardLabels:
        found = self._boards.get(str(board))
        if found is None:
            raise InputError(f"board {quoted(str(board))}: expected {', '.join(self._boards)}")
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._boards)

    def __len__(self) -> int:
        return len(self._boards)

    def __contains__(self, board: object) -> bool:
        return str(board) in self._boards

    def records(self) -> Records:
        """Return the number of positions on each board as rows."""
        return Records(table_records(label_table(self.facts)))

    def to_json(self) -> dict[str, Any]:
        """Return what the command prints with `--json`."""
        return self.facts

    def _title(self) -> str:
        return ""

    def _blocks(self) -> Iterable[Block]:
        return label_blocks(self.facts, self.folder)


def label(
    boards: str | Board | Sequence[str | Board],
    out: str | Path,
    *,
    games: int = 1000,
    seed: int = 1,
    agents: str | Sequence[str] = (),
    most_nodes: int | None = None,
    most_blanks: int | None = None,
    decisive_only: bool = False,
    outcomes: bool = False,
    workers: int | None = None,
    progress: bool | None = None,
) -> Labels:
    """Label many positions with the exact value of every move, as training data.

    Args:
        boards: One board or several; ROWSxCOLS, or a Board.
        out: A new folder, or a folder with an unfinished set of the same labels to continue.
        games: The number of games on each board from which positions are taken.
        seed: Random seed; the same seed reproduces the same games.
        agents: The agents that play; by default a mixture from random to strong.
        most_nodes: Label positions that the solver is estimated to solve within this many nodes; by default 50,000.
        most_blanks: Instead, label positions with at most this many blank squares.
        decisive_only: Whether to keep only positions with both winning and losing moves.
        outcomes: Whether to also keep the results of strong play from earlier positions.
        workers: The number of processes; by default one for each core.
        progress: Whether to show progress; by default on a terminal and in a notebook.

    Raises:
        InputError: If an argument is invalid.
        RunAborted: If a worker process died; repeat the call to continue.

    Example:
        >>> labels = isolarium.label("4x4", "labels", games=20)
        >>> labels["4x4"]["blank"].shape[1], labels["4x4"]["plies"].shape[1]
        (3, 8)
    """
    place = read_path("out", out, "a folder")
    for what, value in (("decisive_only", decisive_only), ("outcomes", outcomes)):
        check_kind(what, value, bool, "True or False")
    if most_nodes is not None and most_blanks is not None:
        raise InputError("most_nodes and most_blanks: use one of them, not both")
    several = [boards] if isinstance(boards, (str, Board)) else boards
    check_kind("boards", several, Sequence, "boards, such as 7x7")
    reach = Reach(
        MOST_NODES if most_nodes is None else whole_number("most_nodes", most_nodes),
        None if most_blanks is None else whole_number("most_blanks", most_blanks),
        decisive_only,
        outcomes,
    )
    plan = make_plan(
        [read_board(board) for board in several],
        whole_number("games", games),
        read_seed(seed),
        read_specs("agents", agents, Names()),
        reach,
    )
    with progress_bar(progress) as bar:

        def show(progress: Progress) -> None:
            if bar is not None:
                bar.count(progress.games, progress.wanted, f"games of {progress.board} labelled")

        make_labels(plan, place, read_workers(workers), show)
    return Labels(place)


def read_labels(folder: str | Path) -> Labels:
    """Read and check existing labelled positions.

    Raises:
        InputError: If the folder has no labels, or they are unfinished or invalid.

    Example:
        >>> isolarium.read_labels("labels").facts["command"]
        'isolarium label --boards 4x4 --games 20 --seed 1'
    """
    return Labels(read_path("folder", folder, "a folder"))
