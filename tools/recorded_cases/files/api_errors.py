"""What is said to scripts that ask for something that cannot be."""

from collections.abc import Callable

import isolarium

CALLS: list[Callable[[], object]] = [
    lambda: isolarium.match("random", "rndom"),
    lambda: isolarium.match("random", "random", test=(20, 0)),
    lambda: isolarium.match("random", "random", test=(1,)),  # type: ignore[arg-type] # wrong on purpose
    lambda: isolarium.match("random", "random", openings="/nowhere"),
    lambda: isolarium.match("random", "random", board="2x2"),
    lambda: isolarium.match("random", "random", pairs=0),
    lambda: isolarium.match("random", "random", plies=61),
    lambda: isolarium.match("random", "random", plies=-1),
    lambda: isolarium.match("random", "random", seed=-1),
    lambda: isolarium.match("random", "random", move_ms=0),
    lambda: isolarium.match("random", "random", limit="x=1", pairs=1, board="3x3"),
    lambda: isolarium.match("mcts", "random", limit="x=1"),
    lambda: isolarium.match("mcts", "random", limit="depth=1"),
    lambda: isolarium.match("random", "random", openings="all", plies=2),
    lambda: isolarium.match("random", "random", board="5x5", plies=40),
    lambda: isolarium.match("random", "random", pairs=1, runs="/dev/null/x"),
    lambda: isolarium.tournament("random"),
    lambda: isolarium.tournament([]),
    lambda: isolarium.tournament(["random"], against=["random"], self_play=True),
    lambda: isolarium.tournament(["random"] * 1001),
    lambda: isolarium.tournament(["random"], field="curse"),
    lambda: isolarium.sweep("mcts", "1,2", against="random"),
    lambda: isolarium.sweep("mcts(c={})", against="random"),
    lambda: isolarium.sweep("mcts(c={})", "1,2", against=[]),
    lambda: isolarium.sweep("mcts(c={})", "1,,2", against="random"),
    lambda: isolarium.Board(2, 2),
    lambda: isolarium.parse_position("7/7/2A4/3x3/4B2/7/7 a").play(isolarium.Square(0, 0)),
    lambda: isolarium.parse_start("7by7"),
]

for number, call in enumerate(CALLS, start=1):
    try:
        call()
    except isolarium.InputError as error:
        print(number, error)
    else:
        print(number, "was done")
print(isolarium.InputError.__mro__[1:])
