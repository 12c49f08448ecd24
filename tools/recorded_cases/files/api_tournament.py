"""Tournaments and sweeps from Python."""

import isolarium

played = isolarium.tournament(["random", "greedy:open", "greedy:improved"], pairs=4, board="5x5", workers=1)
print(played)
print(played._repr_html_())
print({name: str(rate) for name, rate in played.rates.items()})
print(played.verdict, played.finished, len(list(played.games())))
assert played.ratings is not None
for rating in played.ratings.table:
    print(rating.agent, rating.elo, rating.games, rating.won)
print(played.ratings.first_mover)

two = isolarium.tournament(["random", "greedy:open"], self_play=True, pairs=2, board="5x5", workers=1)
print(two)
print(two.ratings)

field = isolarium.tournament("alphabeta:improved", field="course", limit="nodes=10", pairs=1, board="5x5", workers=1)
print(field)
print(field._repr_html_())

against = isolarium.tournament(
    ["greedy:open", "greedy:center"], against=["random"], pairs=2, board="5x5", workers=1, runs="kept"
)
print(against)

sweep = isolarium.sweep("mcts(c={})@nodes=20", "0.5,1", against="random", pairs=3, board="5x5", workers=1)
print(sweep)
print(sweep._repr_html_())
print(list(sweep.rates))
both = isolarium.sweep(
    *("greedy:distance(z={}, f={})", "0:1:1", "arctan,sigmoid"),
    against=["random", "greedy:open"],
    pairs=1,
    board="5x5",
    workers=1,
)
print(both)
