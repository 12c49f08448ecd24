"""`isolarium solve`: who wins with perfect play, exactly."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass
from io import TextIOWrapper
from json import dumps
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Final, TextIO

import typer

from isolarium.arena.local_workers import ClusterGone
from isolarium.cli.exits import FAILED, INTERRUPTED, whole_file
from isolarium.cli.options import ClusterOption, ThreadsOption, connected
from isolarium.cli.progress_display import Display, compile_for, display
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board
from isolarium.game.notation import parse_board, parse_start
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.processes.worker import usual_workers
from isolarium.safe_files import open_file
from isolarium.solver.solution import Solution, solution_json
from isolarium.solver.start_map import starts
from isolarium.speed import per_second
from isolarium.text import counted, duration, printable

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_solver import Doubted
    from isolarium.arena.cluster.remote_workers import Cluster
    from isolarium.solver.all_starts import SurveyFile
    from isolarium.solver.proof.checker import Strategy
    from isolarium.solver.solver import Solver
    from isolarium.solver.subproblem_store import PartsFile

PIPE: Final = "-"
MOST_BYTES: Final = 1 << 36
"""Of a file of positions, which are answered as they are read."""
LONGEST_LINE: Final = 10_000
"""Longer than any position; a device may give one that never ends."""

EXAMPLES = """\b
Examples:
  isolarium solve '7/7/2A4/7/4B2/7/7 a'
  isolarium solve --board 5x5 --all
"""


@dataclass(frozen=True)
class Effort:
    """How to solve, and how to say it.

    Attributes:
        limit: when to give up on a position.
        workers: threads.
        distance: whether to find out how long the game lasts, too.
        as_json: whether to print JSON.
        cluster: where to solve the starts of a board, if not here.
    """

    limit: Limit
    workers: int
    distance: bool
    as_json: bool
    cluster: str | None = None


def solve(
    position: Annotated[
        str | None,
        typer.Argument(metavar="[POSITION]", help="A position line, or ROWSxCOLS: an empty board."),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option("--file", metavar="FILE", help="Solve a position a line; - is stdin."),
    ] = None,
    board: Annotated[
        str | None, typer.Option("--board", metavar="ROWSxCOLS", help="The board of --all.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Solve every start of --board up to symmetry.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Keep what is solved, to go on from later."),
    ] = None,
    distance: Annotated[
        bool, typer.Option("--distance", help="Find out how long the game lasts, too.")
    ] = False,
    certificate: Annotated[
        Path | None,
        typer.Option("--certificate", metavar="FILE", help="Write the winner's strategy there."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a certificate that is there.")
    ] = False,
    nodes: Annotated[
        int | None,
        typer.Option("--nodes", metavar="N", min=1, help="Give up on a position at N nodes."),
    ] = None,
    ms: Annotated[
        float | None,
        typer.Option("--ms", metavar="MS", min=0, help="Give up on a position after MS."),
    ] = None,
    workers: ThreadsOption = None,
    cluster: ClusterOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print an object a line.")] = False,
) -> None:
    """Find out who wins with perfect play, and with which move.

    Exact for any position on any board; a limit ends it with 'unknown', never with a guess. With
    --out, whatever ends the work, the same command goes on from what the file holds: the starts
    of --all, or the parts that a hard POSITION is solved in.
    """
    _check(position, file, board, every, out, distance, certificate, cluster)
    if cluster is not None and workers is not None:
        raise InputError("cluster and workers: expected one of them")
    if certificate is not None and certificate.exists() and not force:
        raise InputError(f"{certificate}: there already; expected a new file, or --force")
    asked = None if position is None else _parse(position)
    starts_of = None if board is None else parse_board(board)
    limit = Limit(nodes=nodes, time_ms=ms)
    effort = Effort(limit, workers or usual_workers(), distance, as_json, cluster)
    if asked is not None:
        _solve_one(asked, effort, certificate, out)
    elif file is not None:
        _solve_file(file, effort)
    elif starts_of is not None:
        _solve_all(starts_of, out, effort)


def _parse(text: str) -> Position:
    if ":" in text:
        raise InputError(
            f"{quoted(text)}: expected a position and not a game; isolarium analyze marks a game's moves"
        )
    return parse_start(text)


def _check(
    position: str | None,
    file: str | None,
    board: str | None,
    every: bool,
    out: Path | None,
    distance: bool,
    certificate: Path | None,
    cluster: str | None,
) -> None:
    """See that exactly one thing was asked for, with the options that belong to it.

    Raises:
        InputError: it was not.
    """
    if sum((position is not None, file is not None, board is not None or every)) != 1:
        raise InputError("expected one of POSITION, --file FILE, and --board ROWSxCOLS --all")
    if (board is not None) != every:
        raise InputError(
            f"{'--all: expected --board ROWSxCOLS' if every else '--board: expected --all'} with it"
        )
    for option, misplaced, place in (
        ("--out", out is not None and file is not None, "a POSITION or --all"),
        ("--cluster", cluster is not None and not every, "--all"),
        ("--certificate", certificate is not None and position is None, "a POSITION"),
        ("--distance", distance and every, "a POSITION or --file"),
    ):
        if misplaced:
            raise InputError(f"{option}: expected {place} with it")
    if out is not None and distance:
        raise InputError("--out and --distance: expected one of them")


def _told(solution: Solution, distance: bool) -> dict[str, Any]:
    """A solution as JSON."""
    facts = solution_json(solution)
    return {**facts, "plies": solution.plies} if distance else facts


def _solve_one(
    position: Position, effort: Effort, certificate: Path | None, out: Path | None
) -> None:
    """Solve a position and print what was found out."""
    from isolarium.cli.console import ANY_WIDTH, Screen
    from isolarium.reporting.exact_tables import short_time, solution_facts
    from isolarium.reporting.model import Fact, Facts
    from isolarium.solver.parallel import solver_for
    from isolarium.solver.subproblem_store import PartsFile

    with (
        nullcontext() if out is None else closing(PartsFile(out, position.board)) as parts,
        display() as shown,
    ):
        compile_for(position.board, effort.distance, shown)
        solver = solver_for(effort.limit, effort.workers)
        began = perf_counter()

        def stop() -> bool:
            shown.tell(lambda: f"solving · {_so_far(shown.elapsed, parts)} · Ctrl-C stops it")
            return False

        try:
            if effort.distance:
                solution = solver.solve_distance(position, effort.limit, stop)
            else:
                solution = solver.solve(position, effort.limit, stop, parts)
        except KeyboardInterrupt:
            if parts is None:
                raise
            shown.clear()
            kept = f"{counted(len(parts), 'part')} in {out}"
            print(f"{position.board}: {kept}; the same command goes on", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
    time_s = perf_counter() - began
    began = perf_counter()
    strategy = None if certificate is None else _certify(solution, solver, certificate)
    certified_s = perf_counter() - began
    if effort.as_json:
        typer.echo(dumps(_told(solution, effort.distance)))
        return
    facts = list(solution_facts(solution, effort.distance, time_s))
    if strategy is not None and certificate is not None:
        size = certificate.stat().st_size
        replies = counted(strategy.replies, "reply", "replies")
        told = (f"{certificate}", replies, f"{size:,} bytes", short_time(certified_s))
        facts.append(Fact("certificate", (" · ".join(told),)))
    Screen(plain_width=ANY_WIDTH).show([Facts(facts)])


def _so_far(elapsed_s: float, parts: "PartsFile | None") -> str:
    """`75.2 s`, or `75.2 s · 1,204 parts`."""
    time = f"{elapsed_s:.1f} s"
    return time if parts is None else f"{time} · {counted(len(parts), 'part')}"


def _certify(solution: Solution, solver: "Solver", path: Path) -> "Strategy":
    """Write the certificate, whole or not at all."""
    from isolarium.solver.proof.certificate import certify

    with whole_file(path) as file, display() as shown:
        data, strategy = certify(
            solution,
            solver,
            lambda replies: shown.tell(lambda: f"certificate · {replies:,} replies"),
        )
        file.write(data)
    return strategy


def _solve_file(name: str, effort: Effort) -> None:
    """Answer every position of a file with a line."""
    from isolarium.reporting.exact_tables import solution_line
    from isolarium.solver.parallel import SolverPool, solve_stream

    with (
        SolverPool(effort.workers, effort.limit, distance=effort.distance) as pool,
        display() as shown,
    ):
        for solution in solve_stream(_positions(name, effort.distance, shown), pool):
            shown.clear()  # what the thread that reads the file says of compiling
            if effort.as_json:
                typer.echo(dumps(_told(solution, effort.distance)))
            else:
                typer.echo(solution_line(solution))


def _positions(name: str, distance: bool, shown: Display) -> Iterator[Position]:
    """The positions of a file; empty lines are passed over.

    Raises:
        InputError: a line is no position, or there is no such file.
    """
    from isolarium.game.tables import words_for

    label = "stdin" if name == PIPE else name
    seen_words = set[int]()
    for number, line in enumerate(_lines_of(name), start=1):
        if not line.strip():
            continue
        if len(line) > LONGEST_LINE:
            raise InputError(f"{label}: line {number}: too long; expected a position")
        try:
            position = parse_start(line.strip())
        except InputError as error:
            raise InputError(f"{label}: line {number}: {error}") from None
        words = words_for(position.board)
        if words not in seen_words:
            seen_words.add(words)
            compile_for(position.board, distance, shown)  # here, so that it is done and named once
        yield position


def _lines_of(name: str) -> Iterator[str]:
    if name == PIPE:
        yield from _of_stream(sys.stdin)
        return
    try:
        with (
            open_file(Path(name), MOST_BYTES, follow_links=True, pipes=True) as file,
            TextIOWrapper(file, encoding="utf-8", errors="backslashreplace") as text,
        ):
            yield from _of_stream(text)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}; expected a file of positions") from None


def _of_stream(stream: TextIO | None) -> Iterator[str]:
    """Its lines; of one that does not end, the beginning."""
    if stream is not None:
        yield from iter(lambda: stream.readline(LONGEST_LINE + 1), "")


def _solve_all(board: Board, out: Path | None, effort: Effort) -> None:
    """Solve every start of a board that the file does not hold yet, and print what they add up to."""
    from isolarium.cli.console import ANY_WIDTH, Screen
    from isolarium.reporting.exact_tables import survey_blocks, survey_json
    from isolarium.solver.all_starts import SurveyFile, findings

    with (
        connected(effort.cluster, None) as cluster,
        nullcontext() if out is None else closing(SurveyFile(out, board)) as file,
    ):
        if cluster is None:
            with display() as shown:
                compile_for(board, False, shown)
        try:
            solutions = _solve_missing(board, file, effort, cluster)
        except (KeyboardInterrupt, ClusterGone) as error:
            if isinstance(error, ClusterGone):
                print(f"isolarium: {printable(str(error))}", file=sys.stderr)
            if out is not None and file is not None:
                kept = f"{len(file.solutions):,} starts are in {out}"
                print(f"{board}: {kept}; the same command goes on", file=sys.stderr)
            raise typer.Exit(FAILED if isinstance(error, ClusterGone) else INTERRUPTED) from None
    found = findings(board, solutions)
    if effort.as_json:
        typer.echo(dumps(survey_json(found)))
    else:
        Screen(plain_width=ANY_WIDTH).show(survey_blocks(found))


def _solve_missing(
    board: Board, file: "SurveyFile | None", effort: Effort, cluster: "Cluster | None"
) -> list[Solution]:
    from isolarium.solver.all_starts import survey

    every = starts(board)
    found = {} if file is None else dict(file.solutions)
    missing = [start for start in every if start not in found]
    before = len(found)
    answers: Iterable[Solution | Doubted]
    if cluster is None:
        answers = survey(missing, file, effort.workers, effort.limit)
    else:
        from isolarium.arena.cluster.remote_solver import survey_on

        answers = survey_on(cluster, board, missing, file, effort.limit)
    with display() as shown:
        shown.tell(lambda: f"{board}: {before:,} of {len(every):,} starts")
        for answer in answers:
            if isinstance(answer, Solution):
                found[answer.position] = answer
            else:
                _forget(found, answer)
            shown.tell(lambda: _progress(board, len(found), before, len(every), shown.elapsed))
    return list(found.values())


def _forget(found: dict[Position, Solution], doubted: "Doubted") -> None:
    for position in doubted.positions:
        del found[position]
    again = counted(len(doubted.positions), "start")
    told = f"{doubted.why}; {again} of its own are solved again"
    print(f"isolarium: {printable(told)}", file=sys.stderr)


def _progress(board: Board, done: int, before: int, total: int, elapsed_s: float) -> str:
    """`8x8: 120 of 518 starts · 4.5 a minute · 1 h 28 min left`."""
    rate = per_second(done - before, elapsed_s)
    speed = f"{rate:,.1f} a second" if rate >= 1 else f"{60 * rate:,.1f} a minute"
    return (
        f"{board}: {done:,} of {total:,} starts · {speed} · {duration((total - done) / rate)} left"
    )
