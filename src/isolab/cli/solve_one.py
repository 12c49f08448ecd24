"""One position, solved: its answer, and its certificate."""

import json
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import typer

from isolab.cli.living_line import living_line
from isolab.cli.solving import Effort, compile_for, told
from isolab.cli.whole_file import whole_file
from isolab.errors import InputError, quoted
from isolab.game.notation import parse_start
from isolab.text import counted

if TYPE_CHECKING:
    from isolab.solver.proof.checker import Strategy
    from isolab.solver.solver import Solution, Solver


def solve_one(text: str, effort: Effort, certificate: Path | None) -> None:
    """Solve a position and print what was found out."""
    if ":" in text:
        raise InputError(
            f"{quoted(text)}: expected a position and not a game; isolab analyze marks a game's moves"
        )
    position = parse_start(text)
    compile_for(position.board, effort.distance)
    solver = _solver(effort)
    ask = solver.solve_distance if effort.distance else solver.solve
    began = perf_counter()
    with living_line() as line:

        def stop() -> bool:
            line.tell(lambda: f"solving · {line.elapsed:.1f} s · Ctrl-C stops it")
            return False

        solution = ask(position, effort.limit, stop)
    time_s = perf_counter() - began
    began = perf_counter()
    strategy = None if certificate is None else _certify(solution, solver, certificate)
    certified_s = perf_counter() - began
    if effort.as_json:
        typer.echo(json.dumps(told(solution, effort.distance)))
        return
    typer.echo("\n".join(_lines(solution, effort, time_s)))
    if strategy is not None and certificate is not None:
        size = certificate.stat().st_size
        replies = counted(strategy.replies, "reply", "replies")
        parts = (f"{certificate}", replies, f"{size:,} bytes", _duration(certified_s))
        typer.echo(f"certificate {' · '.join(parts)}")


def _solver(effort: Effort) -> "Solver":
    from isolab.solver.parallel import SplittingSolver
    from isolab.solver.solver import Solver

    # A limit in nodes has to give the same answer, or none, on any machine: so one thread.
    if effort.limit.nodes is not None or effort.workers == 1:
        return Solver()
    return SplittingSolver(effort.workers)


def _lines(solution: "Solution", effort: Effort, time_s: float) -> Iterator[str]:
    player = f"{solution.position.to_move} ({'AB'[solution.position.to_move]}), to move,"
    yield f"position    {solution.position}"
    if solution.wins is None:
        yield "answer      unknown within the limit"
    elif solution.wins:
        yield f"answer      {player} wins with {solution.move}"
    else:
        yield f"answer      {player} loses"
    if effort.distance and solution.wins is not None:
        yield f"plies       {_plies(solution)}"
    yield f"nodes       {solution.nodes:,}"
    yield f"time        {_duration(time_s)}"


def _duration(time_s: float) -> str:
    return f"{time_s:,.2f} s" if time_s > 1 else f"{time_s * 1e3:.2f} ms"


def _plies(solution: "Solution") -> str:
    if solution.plies is None:
        return "unknown within the limit"
    holding = f"; {solution.move} holds out longest" if not solution.wins and solution.move else ""
    return f"{solution.plies} to the end when the winner hurries and the loser delays{holding}"


def _certify(solution: "Solution", solver: "Solver", path: Path) -> "Strategy":
    """Write the certificate, whole or not at all."""
    from isolab.solver.proof.certificate import certify

    with whole_file(path) as file, living_line() as line:
        data, strategy = certify(
            solution,
            solver,
            lambda replies: line.tell(lambda: f"certificate · {replies:,} replies"),
        )
        file.write(data)
    return strategy
