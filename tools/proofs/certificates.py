"""Make and verify certificates of random solved starts: `python -m tools.proofs.certificates [BOARD [MANY]]`.

If a start takes more than `MOST_NODES` nodes, as those of 8x8 do, a complete certificate would
contain many millions of replies. Instead, the winner's strategy is followed against a random
defence to the first position that takes fewer nodes, and the certificate is made for that position:
it checks a sample of the proof, not all of it. Certificates are not kept. A line for each, with its
checksum, is in `docs/evidence/certificates-BOARD.jsonl`; recorded ones are not made again.
"""

import json
import random
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from isolarium.game.board import Board, Square, parse_board
from isolarium.game.position import Position
from isolarium.solver.certificate import verify
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver, certify
from isolarium.solver.start_map import starts
from isolarium.solver.survey import read_survey

EVIDENCE: Final = Path("docs/evidence")
MOST_NODES: Final = 2_000_000
"""Every start of 7x7 takes fewer, so its certificates are complete."""


def main(board_name: str = "7x7", many: str = "20") -> int:
    """Make and verify the missing certificates; return 1 if one is invalid."""
    board = parse_board(board_name)
    path = EVIDENCE / f"certificates-{board}.jsonl"
    known = [json.loads(line) for line in path.open()] if path.exists() else []
    made = {record["start"] for record in known}
    solver = Solver()
    for start in sample(board, int(many)):
        if str(start) not in made:
            with path.open("a") as file:
                file.write(json.dumps(probe(start, solver)) + "\n")
    known = [json.loads(line) for line in path.read_text().splitlines()]
    wrong = [record for record in known if not record["verified"]]
    whole = sum(not record["line"] for record in known)
    print(f"{board}: {len(known)} certificates, {whole} of whole starts, {len(wrong)} wrong")
    return int(bool(wrong))


def sample(board: Board, many: int) -> list[Position]:
    """Return random starts; on a board with a survey, solved ones that needed a search."""
    path = EVIDENCE / f"starts-{board}.jsonl"
    solved = read_survey(path, board) if path.exists() else None
    drawn = starts(board) if solved is None else [one.position for one in solved if one.nodes > 1]
    return random.Random(f"certificates {board}").sample(drawn, many)


def probe(start: Position, solver: Solver) -> dict[str, Any]:
    """Make and verify the certificate of a start, or of a position that the winner's strategy reaches."""
    chance, line, position = random.Random(str(start)), list[Square](), start
    solution = solver.solve(start)
    while solution.nodes > MOST_NODES:
        move = solution.move or chance.choice(position.legal_moves())
        line.append(move)
        position = position.play(move)
        solution = solver.solve(position)
    data, strategy = certify(solution, solver)
    return {
        "start": str(start),
        "line": [str(move) for move in line],
        "position": str(position),
        "winner": "ab"[strategy.winner],
        "nodes": solution.nodes,
        "replies": strategy.replies,
        "bytes": len(data),
        "sha256": sha256(data).hexdigest(),
        "verified": is_verified(data, solution),
    }


def is_verified(data: bytes, solution: Solution) -> bool:
    """Return whether the checker, which uses the rules alone, agrees about the position."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "certificate"
        path.write_bytes(data)
        shown = verify(path)
    return shown.position == solution.position and ((shown.winner is shown.position.to_move) is solution.wins)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
