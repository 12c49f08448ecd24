"""Test whether strips of four rows allow a finite-state induction: `python -m tools.proofs.strips`.

An induction over the columns of 4xn needs that the squares far to the left can be replaced by one of finitely many
states. Two ways to look for them, with positions whose players stand in the last `RIGHT` columns, chosen at random:

1. Tails. Put w blank columns to the left, w = 0, 1, ...: does the winner stop changing with w?
2. States. Put every left part of w columns, with every choice of blank squares, before the same right parts: two left
   parts are different states if some right part has a different winner with them. The number that is distinguished is
   a proven lower bound on the number of states, since every difference is shown by two solved positions.

`docs/evidence/strips.json` has the results. A right part whose winner still changes at the end comes with
certificates, checked by the rules alone, and a sample of the positions with few blanks is compared with brute force.
"""

import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.solver.certificate import verify
from isolarium.solver.solver import Solver, certify
from isolarium.solver.start_map import law_says_win
from tests.solver.brute_force import BruteForce
from tools.proofs.broken_law import distances

EVIDENCE: Final = Path("docs/evidence/strips.json")
ROWS: Final = 4
RIGHT: Final = 4
TAILS: Final = 1500
LONGEST: Final = 8
RIGHT_PARTS: Final = {1: 2000, 2: 2000, 3: 400}

CHECKED: Final = 1000
MOST_BLANKS: Final = 14

RightPart = tuple[frozenset[Square], Square, Square]
"""Blank squares, and the squares of the player to move and the opponent, with columns from 0."""


def right_part(chance: random.Random) -> RightPart:
    """Return a random right part: random players, every other square randomly blank or blocked."""
    squares = [Square(row, col) for row in range(ROWS) for col in range(RIGHT)]
    mover, other = chance.sample(squares, 2)
    share = chance.uniform(0.3, 1.0)
    blank = {one for one in squares if one not in (mover, other) and chance.random() < share}
    return frozenset(blank), mover, other


def joined(left: int, width: int, right: RightPart) -> Position:
    """Return the position of a left part and a right part.

    The bits of `left` are the blank squares of the left part, by column.
    """
    board = Board(ROWS, width + RIGHT)
    blank, mover, other = right
    squares = {Square(bit % ROWS, bit // ROWS) for bit in range(ROWS * width) if left >> bit & 1}
    squares |= {_shifted(square, width) for square in blank}
    return Position(board, board.mask_of(squares), _shifted(mover, width), _shifted(other, width), Player.FIRST)


def _shifted(square: Square, width: int) -> Square:
    return Square(square.row, square.col + width)


def tails(solver: Solver) -> dict[str, Any]:
    """Return the winners of random right parts by number of blank columns to the left."""
    chance, changes = random.Random("tails"), Counter[int]()
    longest, late = Counter[tuple[str, str, str]](), list[RightPart]()
    for _ in range(TAILS):
        part = right_part(chance)
        positions = [joined((1 << ROWS * w) - 1, w, part) for w in range(LONGEST + 1)]
        wins = [bool(solver.solve(position).wins) for position in positions]
        changes[_last_change(wins)] += 1
        if wins[-1] != wins[-2]:
            late.append(part)
        longest[_who_gets_there(positions[-1]), *_winner(positions[-1], wins[-1])] += 1
    return {
        "right_parts": TAILS,
        "longest": LONGEST,
        "last_change_at": {str(width): changes[width] for width in sorted(changes)},
        "with_the_longest": [
            {"get_there": who, "winner": winner, "role": role, "positions": many}
            for (who, winner, role), many in sorted(longest.items())
        ],
        "change_at_the_end": [_certified(part, solver) for part in late],
    }


def _certified(part: RightPart, solver: Solver) -> list[dict[str, Any]]:
    """Return who wins with each tail, verified by certificates."""
    certified = list[dict[str, Any]]()
    for width in range(LONGEST + 2):
        position = joined((1 << ROWS * width) - 1, width, part)
        data, _ = certify(solver.solve(position), solver)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "certificate"
            path.write_bytes(data)
            shown = verify(path)
        wins = shown.winner is position.to_move
        certified.append({"position": str(shown.position), "wins": wins, "replies": shown.replies})
    return certified


def _who_gets_there(position: Position) -> str:
    """Return who can get past the two columns that a move from the right part reaches."""
    assert position.mover is not None
    assert position.other is not None
    able = [
        name
        for name, square in (("mover", position.mover), ("other", position.other))
        if any(to.col < LONGEST - 2 for to in distances(position, square))
    ]
    return " and ".join(able) or "nobody"  # prose: ok


def _winner(position: Position, wins: bool) -> tuple[str, str]:
    role = "stealer" if wins is law_says_win(position) else "runner"
    return "mover" if wins else "other", role


def _last_change(wins: Sequence[bool]) -> int:
    """Return the first width from which the winner stays the same."""
    return next((w for w in range(len(wins) - 1, 0, -1) if wins[w] != wins[w - 1]), 0)


def states(width: int, solver: Solver) -> dict[str, Any]:
    """Return how many left parts of a width are distinguished by random right parts."""
    chance = random.Random(f"states {width}")
    classes: list[Sequence[int]] = [range(1 << ROWS * width)]
    growth = list[int]()
    for _ in range(RIGHT_PARTS[width]):
        part = right_part(chance)
        classes = [piece for one in classes for piece in (_split(one, width, part, solver) if len(one) > 1 else [one])]
        growth.append(len(classes))
    total = RIGHT_PARTS[width]
    return {
        "left_parts": 1 << ROWS * width,
        "right_parts": total,
        "told_apart_by": {str(n): growth[n - 1] for n in (total // 8, total // 2, total)},
        "states_at_least": len(classes),
        "largest_class": max(map(len, classes)),
    }


def _split(lefts: Sequence[int], width: int, part: RightPart, solver: Solver) -> list[Sequence[int]]:
    """Split groups of equivalent left parts by the winner with a right part."""
    wins: dict[bool | None, list[int]] = {}
    for left in lefts:
        wins.setdefault(solver.solve(joined(left, width, part)).wins, []).append(left)
    return list(wins.values())


def checked(solver: Solver) -> dict[str, int]:
    """Return for how many random positions with few blank squares brute force disagrees."""
    chance, many, wrong = random.Random("checked"), 0, 0
    while many < CHECKED:
        width = chance.choice((1, 2))
        position = joined(chance.getrandbits(ROWS * width), width, right_part(chance))
        if position.blank_count <= MOST_BLANKS:
            many += 1
            truth = BruteForce(position.board).wins(position)
            wrong += solver.solve(position).wins is not truth
    return {"positions": many, "wrong": wrong}


def main() -> None:
    """Run both experiments, store and print the results."""
    solver = Solver()
    found = {
        "tails": tails(solver),
        "checked": checked(solver),
        "states": {str(width): states(width, solver) for width in RIGHT_PARTS},
    }
    EVIDENCE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
