"""Matches from Python: what they print, show in a notebook, and hold."""

from dataclasses import fields
from pathlib import Path

import isolarium

match = isolarium.match("greedy:open", "random", pairs=6, board="5x5", workers=1)
print(match)
print(repr(match) == str(match))
print(match._repr_html_())
print(match.rate, match.rate.rate, match.rate.low, match.rate.high)
print(match.elo, match.elo.elo, match.superiority)
print(match.pairs, match.pairs.won, match.pairs.split, match.pairs.lost)
print(match.verdict, match.finished)
print(type(match).__name__, match.results.labels, match.results.games)
games = list(match.games())
print(len(games), [field.name for field in fields(games[0])])
for game in games[:3]:
    print(game.encounter, game.pair, game.leg, *game.moves, game.winner, game.reason, game.scores)
folder = match.folder
print(folder.is_dir())
del match
print(folder.is_dir())

kept = isolarium.match(
    "alphabeta:improved",
    "mcts",
    pairs=2,
    board="4x4",
    seed=5,
    plies=1,
    limit="nodes=20",
    name="Mine",
    workers=1,
    runs="kept",
    progress=False,
)
print(kept)
print(kept._repr_html_())
print(kept.folder, Path("kept").is_dir())

tested = isolarium.match("greedy:improved", "random", test=(0, 200), board="5x5", workers=1)
print(tested)
print(tested.verdict)
listed = isolarium.match("random", "random", openings="all", board="3x3", workers=1, move_ms=60000)
print(listed)
