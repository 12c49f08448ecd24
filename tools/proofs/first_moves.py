"""Count the winning first moves of every start of 7x7: `python -m tools.proofs.first_moves`, takes some seconds.

The values are the opening book's, which was built by solving the positions one and two plies
after the starts. Each move that gives away a won start is listed, with whether the mirror theorem
explains it: the move leaves the opponent in a mirror position, or lets the opponent reach one.
"""

from isolarium.game.board import Board, Square
from isolarium.game.position import Position
from isolarium.game.symmetry import is_mirror
from isolarium.solver.book import book_entry
from isolarium.solver.start_map import starts

BOARD = Board(7, 7)


def keeps(start: Position, move: Square) -> bool:
    """Return whether a move leaves the opponent with a lost position."""
    entry = book_entry(start.play(move))
    assert entry is not None
    return not entry.wins


def is_by_mirror(start: Position, move: Square) -> bool:
    """Return whether the opponent can reply to a move with a mirror position."""
    after = start.play(move)
    return any(is_mirror(after.play(answer)) for answer in after.legal_moves())


def main() -> None:
    """Count and print."""
    moves = {start: start.legal_moves() for start in starts(BOARD)}
    losing = {start: [one for one in moves[start] if not keeps(start, one)] for start in moves}
    won = [start for start in moves if len(losing[start]) < len(moves[start])]
    print(f"{BOARD}: {len(moves)} starts, {len(won)} won by the player to move")
    print(f"every first move wins: {sum(not losing[start] for start in won)} of these")
    for start in won:
        if losing[start]:
            given = ", ".join(f"{move}{' (mirror)' if is_by_mirror(start, move) else ''}" for move in losing[start])
            print(f"{start}: {given} of {len(moves[start])} moves lose")


if __name__ == "__main__":
    main()
