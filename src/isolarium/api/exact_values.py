"""Solved positions, solved boards, and heuristics evaluated on solved positions."""

from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from isolarium.analysis.calibration import Calibration as CalibrationFindings
from isolarium.analysis.calibration import calibrate as evaluate
from isolarium.analysis.calibration import check_wanted, draw_deciding_sample
from isolarium.api.arguments import (
    AgentLike,
    number,
    read_board,
    read_heuristics,
    read_path,
    read_workers,
    whole_number,
)
from isolarium.api.display import Displayed, Picture, ProgressBar, Records, one_of, progress_bar
from isolarium.errors import InputError, check_kind
from isolarium.game.board import Board, Square
from isolarium.game.notation import read_start
from isolarium.game.position import Player, Position
from isolarium.heuristics.lookup import catalogue
from isolarium.limits import Limit
from isolarium.reporting.exact_tables import (
    calibration_blocks,
    calibration_json,
    calibration_tables,
    solution_facts,
    survey_blocks,
    survey_json,
)
from isolarium.reporting.model import Block, Facts, table_records
from isolarium.solver.proof_tree import SubproblemFile
from isolarium.solver.solution import Solution, solution_json
from isolarium.solver.solver import load_solver, solver_for
from isolarium.solver.start_map import law_says_win, starts
from isolarium.solver.survey import SurveyFile, SurveySummary, summarize_survey
from isolarium.solver.survey import survey as solve_starts
from isolarium.spec.resolve import read_heuristic

CalibrationTable = Literal["moves", "signs"]


class Solved(Displayed):
    """A solved position.

    Args:
        solution: The solution.
        distance: Whether the length of the game was solved too.
        time_s: The solving time.

    Attributes:
        solution: The solution.
    """

    def __init__(self, solution: Solution, distance: bool, time_s: float) -> None:
        self.solution = solution
        self._distance, self._time_s = distance, time_s

    @property
    def position(self) -> Position:
        """The position."""
        return self.solution.position

    @property
    def wins(self) -> bool | None:
        """Whether the player to move wins with perfect play.

        None if a limit stopped the solver.
        """
        return self.solution.wins

    @property
    def winner(self) -> Player | None:
        """The winner with perfect play; None if a limit stopped the solver."""
        to_move = self.position.to_move
        return None if self.wins is None else to_move if self.wins else to_move.other

    @property
    def move(self) -> Square | None:
        """A winning move, if there is one.

        With `distance`, this is the move that wins soonest or loses latest.
        """
        return self.solution.move

    @property
    def plies(self) -> int | None:
        """The number of moves to the end if the winner hurries and the loser delays.

        None without `distance`.
        """
        return self.solution.plies

    @property
    def nodes(self) -> int:
        """The number of positions entered."""
        return self.solution.nodes

    def to_json(self) -> dict[str, Any]:
        """Return the JSON output of the command."""
        facts = solution_json(self.solution)
        return {**facts, "plies": self.plies} if self._distance else facts

    def _title(self) -> str:
        return ""

    def _blocks(self) -> Iterable[Block]:
        return [Facts([*solution_facts(self.solution, self._distance, self._time_s)])]


def solve(
    position: str | Position,
    *,
    distance: bool = False,
    out: str | Path | None = None,
    nodes: int | None = None,
    ms: float | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Solved:
    """Find who wins a position with perfect play, and by which move.

    Args:
        position: A position or its text; ROWSxCOLS is an empty board.
        distance: Whether to find the length of the game as well. Cannot be combined with `out`.
        out: A file for the solved parts of a hard position; parts in the file are not solved again.
        nodes: The maximum number of positions to enter before giving up.
        ms: The maximum time in milliseconds before giving up.
        workers: The number of threads; by default one for each core. With `nodes`, only one
            thread is used, so that the answer is the same on any machine.
        progress: Whether to show progress; by default on a terminal and in a notebook.

    Raises:
        InputError: If an argument is invalid.

    Example:
        >>> solved = isolarium.solve("5/1A3/5/3B1/5 a", distance=True)
        >>> solved.wins, str(solved.winner), solved.plies
        (True, 'first', 17)
        >>> isolarium.solve("9x9", nodes=1000).wins is None
        True
    """
    start, limit = read_start("position", position), _limit(nodes, ms)
    check_kind("distance", distance, bool, "True or False")
    place = None if out is None else read_path("out", out, "a file")
    if place is not None and distance:
        raise InputError("out and distance: use only one of them")
    solver = solver_for(limit, read_workers(workers))
    with (
        nullcontext() if place is None else closing(SubproblemFile(place, start.board)) as parts,
        progress_bar(progress) as bar,
    ):
        _load(start.board, distance, bar)
        began = perf_counter()

        def stop() -> bool:
            if bar is not None:
                bar.tell(f"solving · {perf_counter() - began:.1f} s")
            return False

        solution = solver.solve_distance(start, limit, stop) if distance else solver.solve(start, limit, stop, parts)
    return Solved(solution, distance, perf_counter() - began)


class Survey(Displayed):
    """The solved starts of a board, up to symmetry.

    In a start, both players are placed and the first player is to move.

    Args:
        found: The totals.
        solutions: The solution of each start.

    Attributes:
        found: The number of starts, the number that the first player wins, and the exceptions to the colour law.
    """

    def __init__(self, found: SurveySummary, solutions: Iterable[Solution]) -> None:
        self.found = found
        known = {solution.position: solution for solution in solutions}
        self._solutions = [known[start] for start in starts(found.board)]

    @property
    def exceptions(self) -> tuple[Position, ...]:
        """The starts that break the colour law."""
        return tuple(upset.solution.position for upset in self.found.exceptions)

    def records(self) -> Records:
        """Return the starts as rows.

        Each row has both squares, the winner, the winner's move, and the colour law's prediction.
        """
        mirrors = {upset.solution.position: upset.mirror for upset in self.found.exceptions}
        return Records(
            {
                **solution_json(one),
                "first": str(one.position.first),
                "second": str(one.position.second),
                "law_says_win": law_says_win(one.position),
                "exception": one.position in mirrors,
                "mirror": mirrors.get(one.position, False),
            }
            for one in self._solutions
        )

    def to_json(self) -> dict[str, Any]:
        """Return the JSON output of the command."""
        return survey_json(self.found)

    def _title(self) -> str:
        return ""

    def _blocks(self) -> Iterable[Block]:
        return survey_blocks(self.found)


def survey(
    board: str | Board,
    *,
    out: str | Path | None = None,
    nodes: int | None = None,
    ms: float | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> Survey:
    """Solve every start of a board up to symmetry.

    Args:
        board: ROWSxCOLS, or a Board.
        out: A file for the answers; starts in the file are not solved again.
        nodes: The maximum number of positions to enter for a start before giving up.
        ms: The maximum time in milliseconds for a start before giving up.
        workers: The number of threads; by default one for each core.
        progress: Whether to show progress; by default on a terminal and in a notebook.

    Raises:
        InputError: If an argument is invalid.

    Example:
        >>> found = isolarium.survey("4x4").found
        >>> found.starts, found.wins, len(found.exceptions)
        (33, 9, 10)
    """
    asked, limit, threads = read_board(board), _limit(nodes, ms), read_workers(workers)
    place = None if out is None else read_path("out", out, "a file")
    every = starts(asked)
    with nullcontext() if place is None else closing(SurveyFile(place, asked)) as file, progress_bar(progress) as bar:
        solutions = {} if file is None else dict(file.solutions)
        missing = [start for start in every if start not in solutions]
        _load(asked, False, bar)
        for solution in solve_starts(missing, file, threads, limit):
            solutions[solution.position] = solution
            if bar is not None:
                bar.count(len(solutions), len(every), f"starts of {asked}")
    return Survey(summarize_survey(asked, solutions.values()), solutions.values())


class Calibration(Displayed):
    """Heuristics evaluated on solved positions.

    Args:
        found: The figures.

    Attributes:
        found: The figures, by heuristic and by stage of the game.
    """

    def __init__(self, found: CalibrationFindings) -> None:
        self.found = found

    def records(self, of: CalibrationTable = "moves") -> Records:
        """Return figures as rows, one for each heuristic, the most accurate first.

        Args:
            of: `moves` for how often the best move is right, or `signs` for how often the sign predicts the winner.

        Raises:
            InputError: If `of` is neither `moves` nor `signs`.
        """
        moves, signs = calibration_tables(self.found)
        table = {"moves": moves, "signs": signs}[one_of("records", of, ("moves", "signs"))]
        rows = table_records(table)
        return Records(rows[: len(rows) - table.footer])

    def to_json(self) -> dict[str, Any]:
        """Return the JSON output of the command."""
        return calibration_json(self.found)

    def chart(self) -> Picture:
        """Draw how often each heuristic is right, by stage of the game."""
        # Imported here because the charts take longer to import than everything else.
        from isolarium.reporting.chart import svg_of
        from isolarium.reporting.interval_charts import calibration_chart

        chart = calibration_chart(self.found)
        return Picture(svg_of(chart), chart.title)

    def _title(self) -> str:
        return ""

    def _blocks(self) -> Iterable[Block]:
        return calibration_blocks(self.found)


def calibrate(
    heuristics: AgentLike | Sequence[AgentLike] = (),
    *,
    board: str | Board = "7x7",
    positions: int = 2000,
    seed: int = 1,
    progress: bool | None = None,
) -> Calibration:
    """Evaluate heuristics on solved positions.

    The evaluation measures how often a heuristic's best move is right, and how often the sign of
    its value predicts the winner.

    Args:
        heuristics: Names such as `improved` or `my_file.py:freer`, or functions decorated with
            `@heuristic`; by default the whole catalogue.
        board: ROWSxCOLS, or a Board.
        positions: The number of solved positions for each of the game's four stages.
        seed: Random seed; the same seed reproduces the same positions.
        progress: Whether to show progress; by default on a terminal and in a notebook.

    Raises:
        InputError: If an argument is invalid.

    Example:
        >>> held = isolarium.calibrate(["improved", "open"], board="5x5", positions=5)
        >>> sorted(row["name"] for row in held.records())
        ['a random move', 'improved', 'open', 'the colour law']
    """
    asked, wanted = read_board(board), whole_number("positions", positions)
    check_wanted(wanted)
    names = [str(read_heuristic(name)) for name in read_heuristics("heuristics", heuristics)]
    with progress_bar(progress) as bar:
        _load(asked, False, bar)
        tell = None if bar is None else bar.count
        sample = draw_deciding_sample(
            asked, wanted, seed, tell and (lambda done, total: tell(done, total, f"positions of {asked} solved"))
        )
        found = evaluate(
            names or [*catalogue()], sample, tell and (lambda done, total: tell(done, total, "heuristics evaluated"))
        )
    return Calibration(found)


def _limit(nodes: Any, ms: Any) -> Limit:
    return Limit(
        nodes=None if nodes is None else whole_number("nodes", nodes), time_ms=None if ms is None else number("ms", ms)
    )


def _load(board: Board, distance: bool, bar: ProgressBar | None) -> None:
    if bar is not None:
        bar.tell("loading; new code is compiled first")
    load_solver(board, distance)
