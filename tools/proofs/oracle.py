"""Play the oracle against every agent of the catalogue, and count its results from won and from lost openings.

    python -m tools.proofs.oracle [WORKERS]

Against `alphabeta:improved@nodes=8000` it plays from every start of 7x7, against the others from 50 random ones, each
as a pair. The winner of an opening is looked up in the package's map of the starts. A line of
`docs/evidence/oracle.jsonl` is saved after each opponent, and recorded opponents are not played again.
"""

import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import isolarium
from isolarium.arena.run_db import Record
from isolarium.game.board import Board
from isolarium.heuristics.lookup import catalogue
from isolarium.solver.start_map import start_map
from isolarium.stats import Pair, summarize, win_rate

EVIDENCE: Final = Path("docs/evidence/oracle.jsonl")
BOARD: Final = Board(7, 7)
FIRST: Final = "alphabeta:improved@nodes=8000"
PAIRS: Final = 50


def opponents() -> list[str]:
    """Return all opponents but the first."""
    return [
        *(f"alphabeta:{name}@nodes=8000" for name in catalogue() if name != "improved"),
        "strong:improved@nodes=8000",
        "strong:distance@nodes=8000",
        "minimax:improved@nodes=8000",
        "minmax_approximation:improved@nodes=8000",
        "mcts@nodes=8000",
        "greedy:improved",
        "random",
    ]


def meet(opponent: str, openings: dict[str, Any], workers: int | None) -> dict[str, Any]:
    """Play and count."""
    played = isolarium.match("oracle", opponent, **openings, board=str(BOARD), workers=workers)
    truth = start_map(BOARD)
    assert truth is not None
    kept, stolen = list[Pair](), list[Pair]()
    with closing(Record(played.folder)) as record:
        clusters = record.clusters()
        for game in record.games():
            oracle_first = game.players[0] == 0
            oracle_had_won = truth.first_wins(*game.record(BOARD).moves[:2]) == oracle_first
            result = Pair(float(game.winning_player == 0), clusters[game.pair])
            (kept if oracle_had_won else stolen).append(result)
    share = win_rate(summarize(stolen))
    return {
        "opponent": opponent,
        "openings": "all" if "openings" in openings else f"random, seed {openings['seed']}",
        "pairs": played.pairs.pairs,
        "won_openings": len(kept),
        "won_openings_won": int(sum(game.score for game in kept)),
        "lost_openings": len(stolen),
        "lost_openings_won": int(sum(game.score for game in stolen)),
        "lost_openings_share": [round(value, 4) for value in (share.rate, share.low, share.high)],
    }


def main(workers: int | None = None) -> int:
    """Play all new opponents; return 1 if a won opening was lost."""
    known = [json.loads(line) for line in EVIDENCE.open()] if EVIDENCE.exists() else []
    met = {line["opponent"] for line in known}
    for opponent in (FIRST, *opponents()):
        if opponent in met:
            continue
        every = {"openings": "all"} if opponent == FIRST else {"pairs": PAIRS, "seed": 1}
        known.append(meet(opponent, every, workers))
        with EVIDENCE.open("a") as file:
            file.write(json.dumps(known[-1]) + "\n")
    for line in known:
        print(
            f"{line['opponent']:<46} won openings won {line['won_openings_won']} of {line['won_openings']}"
            f" · lost openings won {line['lost_openings_won']} of {line['lost_openings']}"
        )
    return int(any(line["won_openings_won"] < line["won_openings"] for line in known))


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
