"""`isolarium solve`: exact values of positions and of all starts of a board; `isolarium verify`: their certificates."""

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
from isolarium.cli.app import FAILED, INTERRUPTED, whole_file
from isolarium.cli.options import ClusterOption, JsonOption, ThreadsOption, connected
from isolarium.cli.progress_display import Display, compile_for, display
from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, parse_board
from isolarium.game.notation import parse_start
from isolarium.game.position import Position
from isolarium.limits import Limit, per_second
from isolarium.processes.worker import default_workers
from isolarium.safe_files import open_file
from isolarium.solver.certificate import Strategy
from isolarium.solver.certificate import verify as check
from isolarium.solver.solution import Solution, solution_json
from isolarium.solver.start_map import starts
from isolarium.text import counted, duration, printable

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_solver import Doubted
    from isolarium.arena.cluster.remote_workers import Cluster
    from isolarium.solver.proof_tree import SubproblemFile
    from isolarium.solver.solver import Solver
    from isolarium.solver.survey import SurveyFile

PIPE: Final = "-"
MOST_BYTES: Final = 1 << 36
"""The maximum size of a file of positions, which are solved as they are read."""
LONGEST_LINE: Final = 10_000
"""The maximum length of a line; a line read from a device may never end."""


@dataclass(frozen=True)
class Effort:
    """How to solve, and how to print the result.

    Attributes:
        limit: the limit for each position.
        workers: the number of threads.
        distance: whether to find the length of the game as well.
        as_json: whether to print JSON.
        cluster: the address of a cluster to solve the starts of a board on.
    """

    limit: Limit
    workers: int
    distance: bool
    as_json: bool
    cluster: str | None = None


def solve(
    position: Annotated[
        str | None, typer.Argument(metavar="POSITION", help="Position, or ROWSxCOLS for an empty board.")
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="File with one position per line, or - for stdin.")
    ] = None,
    board: Annotated[str | None, typer.Option("--board", metavar="ROWSxCOLS", help="Board of --all.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Solve every start of --board up to symmetry.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="File that stores the progress, so that you can continue later."),
    ] = None,
    distance: Annotated[
        bool, typer.Option("--distance", help="Find the length of the game with best play as well.")
    ] = False,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", metavar="FILE", help="File to write the winner's strategy to.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing certificate.")] = False,
    nodes: Annotated[int | None, typer.Option("--nodes", metavar="N", min=1, help="Node limit per position.")] = None,
    ms: Annotated[
        float | None, typer.Option("--ms", metavar="MS", min=0, help="Time limit per position in milliseconds.")
    ] = None,
    workers: ThreadsOption = None,
    cluster: ClusterOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Solve positions exactly: who wins, and with which move.

    Works for any position on any board. When a limit is reached, the answer
    is 'unknown', never a guess. With --out, an interrupted command continues
    where it stopped: the file holds the solved starts of --all, or the solved
    parts of a hard POSITION.

    Exit status:
        1: The cluster was lost.
        130: Stopped by Ctrl-C; with --out, the same command continues.

    Examples:
        isolarium solve '7/7/2A4/7/4B2/7/7 a'
        isolarium solve --board 5x5 --all
    """
    _check(position, file, board, every, out, distance, certificate, cluster)
    if cluster is not None and workers is not None:
        raise InputError("--cluster and --workers: use only one of them")
    if certificate is not None and certificate.exists() and not force:
        raise InputError(f"{certificate}: already exists; choose a new file, or use --force")
    parsed = None if position is None else _parse(position)
    starts_of = None if board is None else parse_board(board)
    limit = Limit(nodes=nodes, time_ms=ms)
    effort = Effort(limit, workers or default_workers(), distance, as_json, cluster)
    if parsed is not None:
        _solve_one(parsed, effort, certificate, out)
    elif file is not None:
        _solve_file(file, effort)
    elif starts_of is not None:
        _solve_all(starts_of, out, effort)


def _parse(text: str) -> Position:
    if ":" in text:
        raise InputError(f"{quoted(text)}: expected a position, not a game; isolarium analyze solves a game's moves")
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
    """Check that there is exactly one thing to solve, and that the options apply.

    Raises:
        InputError: If there is nothing or too much to solve, or an option does not apply.
    """
    if sum((position is not None, file is not None, board is not None or every)) != 1:
        raise InputError("expected one of POSITION, --file FILE, and --board ROWSxCOLS --all")
    if (board is not None) != every:
        raise InputError(f"{'--all: needs --board ROWSxCOLS' if every else '--board: needs --all'}")
    for option, misplaced, place in (
        ("--out", out is not None and file is not None, "a POSITION or --all"),
        ("--cluster", cluster is not None and not every, "--all"),
        ("--certificate", certificate is not None and position is None, "a POSITION"),
        ("--distance", distance and every, "a POSITION or --file"),
    ):
        if misplaced:
            raise InputError(f"{option}: needs {place}")
    if out is not None and distance:
        raise InputError("--out and --distance: use only one of them")


def _facts(solution: Solution, distance: bool) -> dict[str, Any]:
    """Return a solution as JSON."""
    facts = solution_json(solution)
    return {**facts, "plies": solution.plies} if distance else facts


def _solve_one(position: Position, effort: Effort, certificate: Path | None, out: Path | None) -> None:
    """Solve a position and print the solution."""
    from isolarium.cli.screen import ANY_WIDTH, Screen
    from isolarium.reporting.exact_tables import short_time, solution_facts
    from isolarium.reporting.model import Fact, Facts
    from isolarium.solver.proof_tree import SubproblemFile
    from isolarium.solver.solver import solver_for

    with nullcontext() if out is None else closing(SubproblemFile(out, position.board)) as parts, display() as shown:
        compile_for(position.board, effort.distance, shown)
        solver = solver_for(effort.limit, effort.workers)
        began = perf_counter()

        def stop() -> bool:
            shown.update(lambda: f"solving · {_so_far(shown.elapsed, parts)} · Ctrl-C stops it")
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
            print(f"{position.board}: {kept}; the same command continues", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from None
    time_s = perf_counter() - began
    began = perf_counter()
    strategy = None if certificate is None else _certify(solution, solver, certificate)
    certified_s = perf_counter() - began
    if effort.as_json:
        typer.echo(dumps(_facts(solution, effort.distance)))
        return
    facts = list(solution_facts(solution, effort.distance, time_s))
    if strategy is not None and certificate is not None:
        size = certificate.stat().st_size
        replies = counted(strategy.replies, "reply", "replies")
        figures = (f"{certificate}", replies, f"{size:,} bytes", short_time(certified_s))
        facts.append(Fact("certificate", (" · ".join(figures),)))
    Screen(plain_width=ANY_WIDTH).show([Facts(facts)])


def _so_far(elapsed_s: float, parts: "SubproblemFile | None") -> str:
    """Return a text such as `75.2 s` or `75.2 s · 1,204 parts`."""
    time = f"{elapsed_s:.1f} s"
    return time if parts is None else f"{time} · {counted(len(parts), 'part')}"


def _certify(solution: Solution, solver: "Solver", path: Path) -> Strategy:
    """Write a certificate, completely or not at all."""
    from isolarium.solver.solver import certify

    with whole_file(path) as file, display() as shown:
        data, strategy = certify(
            solution, solver, lambda replies: shown.update(lambda: f"certificate · {replies:,} replies")
        )
        file.write(data)
    return strategy


def _solve_file(name: str, effort: Effort) -> None:
    """Solve every position of a file, and print a line for each."""
    from isolarium.reporting.exact_tables import solution_line
    from isolarium.solver.survey import SolverPool, solve_stream

    with SolverPool(effort.workers, effort.limit, distance=effort.distance) as pool, display() as shown:
        for solution in solve_stream(_positions(name, effort.distance, shown), pool):
            shown.clear()  # The notice about compiling, from the thread that reads the file
            if effort.as_json:
                typer.echo(dumps(_facts(solution, effort.distance)))
            else:
                typer.echo(solution_line(solution))


def _positions(name: str, distance: bool, shown: Display) -> Iterator[Position]:
    """Yield the positions of a file, skipping empty lines.

    Raises:
        InputError: If a line is not a position, or the file cannot be read.
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
            compile_for(position.board, distance, shown)  # Once, with one notice
        yield position


def _lines_of(name: str) -> Iterator[str]:
    if name == PIPE:
        yield from _lines_of_stream(sys.stdin)
        return
    try:
        with (
            open_file(Path(name), MOST_BYTES, follow_links=True, pipes=True) as file,
            TextIOWrapper(file, encoding="utf-8", errors="backslashreplace") as text,
        ):
            yield from _lines_of_stream(text)
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}; expected a file of positions") from None


def _lines_of_stream(stream: TextIO | None) -> Iterator[str]:
    """Yield the lines of a stream, cutting an endless line."""
    if stream is not None:
        yield from iter(lambda: stream.readline(LONGEST_LINE + 1), "")


def _solve_all(board: Board, out: Path | None, effort: Effort) -> None:
    """Solve the starts that the file does not contain yet, and print a summary."""
    from isolarium.cli.screen import ANY_WIDTH, Screen
    from isolarium.reporting.exact_tables import survey_blocks, survey_json
    from isolarium.solver.survey import SurveyFile, summarize_survey

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
                kept = f"{counted(len(file.solutions), 'start')} in {out}"
                print(f"{board}: {kept}; the same command continues", file=sys.stderr)
            raise typer.Exit(FAILED if isinstance(error, ClusterGone) else INTERRUPTED) from None
    found = summarize_survey(board, solutions)
    if effort.as_json:
        typer.echo(dumps(survey_json(found)))
    else:
        Screen(plain_width=ANY_WIDTH).show(survey_blocks(found))


def _solve_missing(
    board: Board, file: "SurveyFile | None", effort: Effort, cluster: "Cluster | None"
) -> list[Solution]:
    from isolarium.solver.survey import survey

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
        shown.update(lambda: f"{board}: {before:,} of {len(every):,} starts")
        for answer in answers:
            if isinstance(answer, Solution):
                found[answer.position] = answer
            else:
                _forget(found, answer)
            shown.update(lambda: _progress(board, len(found), before, len(every), shown.elapsed))
    return list(found.values())


def _forget(found: dict[Position, Solution], doubted: "Doubted") -> None:
    for position in doubted.positions:
        del found[position]
    again = counted(len(doubted.positions), "start")
    message = f"{doubted.why}; {again} that it solved will be solved again"
    print(f"isolarium: {printable(message)}", file=sys.stderr)


def _progress(board: Board, done: int, before: int, total: int, elapsed_s: float) -> str:
    """Return a line such as `8x8: 120 of 518 starts · 4.5 a minute · 1 h 28 min left`."""
    rate = per_second(done - before, elapsed_s)
    speed = f"{rate:,.1f} a second" if rate >= 1 else f"{60 * rate:,.1f} a minute"
    return f"{board}: {done:,} of {total:,} starts · {speed} · {duration((total - done) / rate)} left"


# Certificates


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Certificate written by isolarium solve --certificate.")],
    as_json: JsonOption = False,
) -> None:
    """Verify a certificate by the rules alone.

    A certificate is valid if its strategy answers every reply until the end of the game and wins.
    The check uses only the rules in plain Python and shares no code with the solver.

    Exit status:
        2: The certificate is not valid; the message gives the location of the error.

    Examples:
        isolarium solve '5/1A3/5/3B1/5 a' --certificate proof.certificate
        isolarium verify proof.certificate
    """
    began = perf_counter()
    with display() as shown:
        strategy = check(file, lambda replies: shown.update(lambda: f"verifying · {replies:,} replies"))
    time_s = perf_counter() - began
    wins = strategy.winner == strategy.position.to_move
    if as_json:
        facts = {
            "position": str(strategy.position),
            "wins": wins,
            "winner": str(strategy.winner),
            "replies": strategy.replies,
            "mirrors": strategy.mirrors,
            "longest": strategy.longest,
            "time_s": round(time_s, 3),
        }
        typer.echo(dumps(facts))
        return
    letter = "AB"[strategy.winner]
    typer.echo(f"position    {strategy.position}")
    typer.echo(f"proved      {strategy.winner} ({letter}) wins against every defence")
    typer.echo(
        f"checked     {counted(strategy.replies, 'reply', 'replies')}, games of up to "
        f"{counted(strategy.longest, 'ply', 'plies')}, {counted(strategy.mirrors, 'mirror position')}"
    )
    typer.echo(f"time        {time_s:,.2f} s")
