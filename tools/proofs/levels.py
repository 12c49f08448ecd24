"""Play the levels against each other, and rate them on one Elo scale for each board.

    python -m tools.proofs.levels [WORKERS]

Each level meets the next one and the one after that, on 7x7 and on 9x9, in pairs of games from random placements
and two random moves; all meet from the same openings. The scale of a board is the maximum likelihood of all its games,
by the ratings of tournaments (`isolarium.stats.RatedGames`), and a step is the difference of two neighbours. The
levels were chosen on games from other openings. Results are saved in `docs/evidence/levels.jsonl` as they come, and
recorded ones are not played again. From them the tables of `docs/research/levels.md` are written, and the
Elo in `src/isolarium/agents/levels.json`, which the pages show.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

import isolarium
from isolarium.agents.levels import LEVELS, Level
from isolarium.spec.spec import parse_spec
from isolarium.stats import EloEstimate, PairSummary, RatedGames, Ratings

EVIDENCE: Final = Path("docs/evidence/levels.jsonl")
PAGE: Final = Path("docs/research/levels.md")
LIST: Final = Path("src/isolarium/agents/levels.json")
BEGIN, END = "<!-- python -m tools.proofs.levels writes from here -->", "<!-- to here -->"
BOARDS: Final = ("7x7", "9x9")
SEED: Final = 304
PLIES: Final = 2
ROUNDED: Final = 10
"""The list is rounded to multiples of this Elo."""
PAIRS: Final = 200
"""The number of pairs of games for two levels."""
FEWER_PAIRS: Final = 48
"""The number of pairs if the stronger level has so many nodes that games take long."""
MANY_NODES: Final = 20_000


@dataclass(frozen=True)
class Meeting:
    """Two levels that play each other on a board."""

    board: str
    upper: Level
    lower: Level

    @property
    def name(self) -> str:
        """Return its key in the evidence."""
        return f"{self.board}, seed {SEED}, {self.pairs} pairs: {self.upper.agent} vs {self.lower.agent}"

    @property
    def pairs(self) -> int:
        """Return the number of pairs, fewer if they take long."""
        nodes = parse_spec(self.upper.agent).limit.nodes or 0
        return PAIRS if nodes < MANY_NODES else FEWER_PAIRS

    def play(self, workers: int) -> dict[str, Any]:
        """Play, and return which games of each pair the stronger level won.

        The result of a pair is 1 if it won as the first mover, 2 as the second, 3 both.
        """
        played = isolarium.match(
            self.upper.agent,
            self.lower.agent,
            pairs=self.pairs,
            board=self.board,
            seed=SEED,
            plies=PLIES,
            workers=workers,
            progress=False,
        )
        won = [0] * self.pairs
        for game in played.games():
            won[game.pair] += game.first_won << game.leg
        return {"meeting": self.name, "won": "".join(map(str, won))}


def meetings(board: str) -> Iterator[Meeting]:
    """Return the meetings of neighbouring levels on a board, then of levels two apart."""
    for apart in (1, 2):
        for lower, upper in zip(LEVELS, LEVELS[apart:], strict=False):
            yield Meeting(board, upper, lower)


@cache
def evidence() -> dict[str, str]:
    """Return the stored results by pairing."""
    lines = EVIDENCE.read_text(encoding="utf-8").splitlines() if EVIDENCE.exists() else []
    return {entry["meeting"]: entry["won"] for entry in map(json.loads, lines)}


def won_in(meeting: Meeting) -> str:
    """Return the results of a pairing; exit with advice if it has not been played."""
    try:
        return evidence()[meeting.name]
    except KeyError:
        sys.exit(f"{meeting.name}: not played; python -m tools.proofs.levels plays it")


@cache
def ratings(board: str) -> Ratings:
    """Return the ratings of all levels on a board, on one scale."""
    met = [*meetings(board)]
    agents = [*dict.fromkeys(level.agent for one in met for level in (one.upper, one.lower))]
    rated = RatedGames(agents)
    for meeting in met:
        won = np.array([*map(int, won_in(meeting))])
        upper, lower = (np.full(len(won), agents.index(level.agent)) for level in (meeting.upper, meeting.lower))
        rated.add(upper, lower, won & 1, np.arange(len(won)))
        rated.add(lower, upper, 1 - (won >> 1), np.arange(len(won)))
    return rated.ratings()


def above_first(board: str, level: Level) -> EloEstimate:
    """Return the Elo difference between a level and the first level."""
    return ratings(board).difference(level.agent, LEVELS[0].agent)


def tables() -> str:
    """Yield the levels on their scales, then every pairing."""
    return "\n".join([*_scales(), "", *_results()])


def _scales() -> Iterator[str]:
    heads = [f"{board}{what}" for board in BOARDS for what in ("", ", step")]
    yield f"| level | | agent | {' | '.join(heads)} |"
    yield "|--:|---|---|" + "--:|" * len(heads)
    yield _row(LEVELS[0], ["0", ""] * len(BOARDS))
    for lower, upper in pairwise(LEVELS):
        cells = []
        for board in BOARDS:
            step = ratings(board).difference(upper.agent, lower.agent)
            cells += [f"{above_first(board, upper).elo:.0f}", _estimate(step)]
        yield _row(upper, cells)


def _row(level: Level, cells: list[str]) -> str:
    return f"| {level.level} | {level.name} | `{level.agent}` | {' | '.join(cells)} |"


def _estimate(elo: EloEstimate) -> str:
    return f"{elo.elo:+.0f} ({elo.low:+.0f} to {elo.high:+.0f})"


def _results() -> Iterator[str]:
    heads = [f"{board}, {what}" for board in BOARDS for what in ("won-split-lost", "score")]
    yield f"| levels | {' | '.join(heads)} |"
    yield "|---|" + "---|--:|" * len(BOARDS)
    for row in zip(*map(meetings, BOARDS), strict=True):
        cells = []
        for meeting in row:
            pairs = summary(won_in(meeting))
            counts = f"{pairs.won}-{pairs.split}-{pairs.lost}"
            cells += [counts, f"{pairs.rate:.1%}"]
        yield f"| {row[0].upper.level} against {row[0].lower.level} | {' | '.join(cells)} |"


def summary(won: str) -> PairSummary:
    """Return the pairs won, split and lost by the stronger level."""
    both, neither = won.count("3"), won.count("0")
    return PairSummary.distinct(both, len(won) - both - neither, neither)


def filled(page: str) -> str:
    """Return the page with its tables."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


def listed() -> str:
    """Return the list of levels with the measured Elo."""
    entries = [
        {
            "name": level.name,
            "agent": level.agent,
            "about": level.about,
            "elo": {board: ROUNDED * round(above_first(board, level).elo / ROUNDED) for board in BOARDS},
        }
        for level in LEVELS
    ]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def main(workers: str = "1") -> None:
    """Play the missing games, then write the page and the list."""
    for board in BOARDS:
        for meeting in meetings(board):
            if meeting.name not in evidence():
                found = meeting.play(int(workers))
                with EVIDENCE.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(found) + "\n")
                evidence.cache_clear()
            pairs = summary(won_in(meeting))
            print(f"{meeting.name}: {pairs.won}-{pairs.split}-{pairs.lost}", flush=True)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    LIST.write_text(listed(), encoding="utf-8")
    print("\n".join(_scales()))


if __name__ == "__main__":
    main(*sys.argv[1:])
