"""Measure the solver: every start of 7x7, a certificate, and positions of larger games.

    python -m tools.benchmarks.solver [POSITIONS]

The positions come from play of `strong:improved` against itself with every fifth move random. Unless stated
otherwise, times are CPU time on one core, without compiling.
"""

import os
import random
import sys
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from isolarium.agents import parse_agent
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.solver.certificate import Strategy, packed, verify
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver, certify
from isolarium.solver.start_map import starts
from isolarium.solver.survey import solve_many

SEVEN = Board(7, 7)
START = parse_position("7/7/2A4/7/4B2/7/7 a")
C_NODES, C_SECONDS = 95e6, 12.6
"""The cost of every start of 7x7 with the C program that the solver is modelled on, on one core."""
AGENT = "strong:improved@nodes=2000"
STAGES = ((Board(9, 9), 60), (Board(9, 11), 62), (Board(9, 11), 66))
MOST_NODES = 100_000_000


def main() -> None:
    """Measure and print."""
    many = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(f"solver · one core, CPU time · load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    heads = f"{'many':>6}{'nodes, median':>16}{'ms, median':>12}{'ms, p95':>9}{'s, all':>8}"
    print(f"  {'positions':<24}{heads}{'unknown':>9}")
    hardest = every_start()
    for board, blanks in STAGES:
        shown(f"{board} with {blanks} blanks", *timed(middle_games(board, blanks, many)))
    on_two_cores()
    for start in (START, hardest):
        certificate(start)


def every_start() -> Position:
    """Solve all starts of 7x7, compare with the C program, and return the start with the most nodes."""
    solutions, times = timed(starts(SEVEN))
    shown("7x7, every start", solutions, times)
    nodes, seconds = sum(solution.nodes for solution in solutions), sum(times)
    more_nodes, slower = nodes / C_NODES, (seconds / nodes) / (C_SECONDS / C_NODES)
    print(
        f"    {nodes / 1e6:.1f} M nodes at {nodes / seconds / 1e6:.1f} M a second: {seconds / C_SECONDS:.2f} times C's"
        f" {C_SECONDS} s = {more_nodes:.2f} times the nodes x {slower:.2f} times as long for each"
    )
    return max(solutions, key=lambda solution: solution.nodes).position


def on_two_cores() -> None:
    """Measure the command for all starts of 7x7."""
    for workers in (1, 2):
        began, cpu = perf_counter(), process_time()
        wins = sum(bool(solution.wins) for _, solution in solve_many(starts(SEVEN), workers))
        print(
            f"  7x7, every start, {workers} worker{'s'[: workers - 1]}: {perf_counter() - began:.1f} s on the clock,"
            f" {process_time() - cpu:.1f} s of processors; the player to move wins {wins}"
        )


def certificate(start: Position) -> None:
    """Measure the certificate of a start: size, time to make and to verify; check that a wrong one is refused."""
    solver = Solver()
    began = process_time()
    data, strategy = certify(solver.solve(start), solver)
    made = process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "proof"
        path.write_bytes(data)
        began = process_time()
        verify(path)
        verified = process_time() - began
        print(
            f"  certificate of {start}: {strategy.replies:,} replies, {len(data):,} bytes,"
            f" made in {made:.1f} s, verified in {verified:.1f} s"
        )
        path.write_bytes(altered(data, strategy))
        try:
            verify(path)
        except InputError as error:
            print(f"  with one reply altered: {str(error).removeprefix(str(path))[2:]}")


def altered(data: bytes, strategy: Strategy) -> bytes:
    """Return a certificate with its middle reply replaced."""
    replies = bytearray(zlib.decompress(data.split(b"\n", 4)[4]))
    middle = len(replies) // 2
    replies[middle] = 0 if replies[middle] else 1
    return packed(strategy.position, strategy.winner, bytes(replies))


def timed(positions: Sequence[Position]) -> tuple[list[Solution], list[float]]:
    """Solve positions; yield each solution with its seconds."""
    solver = Solver()
    solutions, times = [], []
    for position in positions:
        solver.solve(position, Limit(nodes=1))  # load what is compiled, and the board's tables
        began = process_time()
        solutions.append(solver.solve(position, Limit(nodes=MOST_NODES)))
        times.append(process_time() - began)
    return solutions, times


def shown(name: str, solutions: Sequence[Solution], times: Sequence[float]) -> None:
    """Print a line of the table."""
    nodes = median(solution.nodes for solution in solutions)
    p95 = sorted(times)[int(0.95 * len(times))]
    unknown = sum(solution.wins is None for solution in solutions)
    print(
        f"  {name:<24}{len(times):>6}{nodes:>16,.0f}{median(times) * 1e3:>12.1f}{p95 * 1e3:>9.1f}"
        f"{sum(times):>8.1f}{unknown:>9}",
        flush=True,
    )


def middle_games(board: Board, blanks: int, many: int) -> list[Position]:
    """Return positions with that many blank squares and a legal move, each from a separate game."""
    rng = random.Random(f"{board} {blanks}")
    agent = parse_agent(AGENT)
    found: list[Position] = []
    while len(found) < many:
        agent.new_game(rng.getrandbits(32))
        position = Position.empty(board)
        ply = 0
        while position.blank_count > blanks and position.legal_mask:
            ply += 1
            at_random = position.placing or ply % 5 == 0
            move = rng.choice(position.legal_moves()) if at_random else agent.choose(position).move
            position = position.play(move)
        if position.legal_mask:
            found.append(position)
    return found


if __name__ == "__main__":
    main()
