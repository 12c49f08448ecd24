"""Positions in the middle of games that break the colour law: how many, by blanks left, and why.

    python -m tools.proofs.broken_law     takes a few minutes

By the law the stealer wins. From random games, and games between two `alphabeta:improved@nodes=300` with every
sixth move random, one position for each number of blanks is solved. A position that
breaks the law has one reason, the first that applies:

    stuck     the stealer has no legal move
    apart     the two can no longer meet: the longer walk wins
    mirror    the mirror theorem decides it, now or after one move
    soon      the runner wins within `SOON` plies
    space     the runner is first at more blanks than the stealer
    other     none of these

A line for each board, kind of game and number of blanks goes into `docs/evidence/broken_law.jsonl`.
"""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from isolarium.agents import parse_agent
from isolarium.game.board import Board, Square, parse_board
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror_within_reach
from isolarium.limits import Limit
from isolarium.solver.solver import Solver
from isolarium.solver.start_map import law_says_win

EVIDENCE: Final = Path("docs/evidence/broken_law.jsonl")
GAMES: Final = 300
BLANKS: Final = {"5x5": range(4, 24, 3), "7x7": range(5, 48, 6), "8x8": range(6, 49, 6)}
PLAYER: Final = "alphabeta:improved@nodes=300"
RANDOM_ONE_IN: Final = 6
SOON: Final = 8
HOW_SOON: Final = Limit(nodes=3_000_000)
REASONS: Final = ("stuck", "apart", "mirror", "soon", "space", "other")


def game(board: Board, by_lot: bool, chance: random.Random) -> Iterator[Position]:
    """Yield the positions of a game after both placements, including the last."""
    player = parse_agent(PLAYER)
    player.new_game(chance.getrandbits(32))
    position = Position.empty(board)
    while True:
        if not position.placing:
            yield position
        if position.outcome() is not None:
            return
        if by_lot or position.placing or chance.randrange(RANDOM_ONE_IN) == 0:
            position = position.play(chance.choice(position.legal_moves()))
        else:
            position = position.play(player.choose(position).move)


def distances(position: Position, start: Square) -> dict[Square, int]:
    """Return the distance of each blank square from a square, through blank squares."""
    found, edge = dict[Square, int](), [start]
    while edge:
        reached = [
            square
            for at in edge
            for square in position.board.knight_moves(at)
            if position.is_blank(square) and square not in found
        ]
        depth = 1 + found.get(edge[0], 0)
        edge = list(dict.fromkeys(reached))
        found |= dict.fromkeys(edge, depth)
    return found


def reason(position: Position, solver: Solver) -> str:
    """Return why a position breaks the law."""
    stealer, runner = position.mover, position.other
    stealer_moves = law_says_win(position)
    if not stealer_moves:
        stealer, runner = runner, stealer
    assert stealer is not None
    assert runner is not None
    if stealer_moves and not position.legal_moves():
        return "stuck"
    near, far = distances(position, stealer), distances(position, runner)
    if not near.keys() & far.keys():
        return "apart"
    afters = [] if stealer_moves else [position.play(move) for move in position.legal_moves()]
    if any(map(is_mirror_within_reach, [position, *afters])):
        return "mirror"
    plies = solver.solve_distance(position, HOW_SOON).plies
    if plies is not None and plies <= SOON:
        return "soon"
    own = sum(depth < far.get(square, 1000) for square, depth in near.items())
    others = sum(depth < near.get(square, 1000) for square, depth in far.items())
    return "space" if others > own else "other"


def count(board: Board, by_lot: bool) -> Iterator[dict[str, Any]]:
    """Return how many positions break the law, for each number of blank squares."""
    solver, wanted = Solver(), BLANKS[str(board)]
    many, broken = Counter[int](), Counter[tuple[int, str]]()
    for number in range(GAMES):
        for position in game(board, by_lot, random.Random(f"{board} {by_lot} {number}")):
            blanks = position.blank_count
            if blanks not in wanted:
                continue
            many[blanks] += 1
            if solver.solve(position).wins is not law_says_win(position):
                broken[blanks, reason(position, solver)] += 1
    for blanks in wanted:
        reasons = {name: broken[blanks, name] for name in REASONS}
        yield {
            "board": str(board),
            "play": "by lot" if by_lot else PLAYER,  # prose: ok
            "blanks": blanks,
            "positions": many[blanks],
            "broken": sum(reasons.values()),
            **reasons,
        }


def main() -> None:
    """Count, store and print."""
    with EVIDENCE.open("w") as file:
        for name in BLANKS:
            for by_lot in (True, False):
                for row in count(parse_board(name), by_lot):
                    file.write(json.dumps(row) + "\n")
                    print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
