"""What is said to scripts that ask for something that cannot be."""

from collections.abc import Callable

import isolab

CALLS: list[Callable[[], object]] = [
    lambda: isolab.match("random", "rndom"),
    lambda: isolab.match("random", "random", test=(20, 0)),
    lambda: isolab.match("random", "random", test=(1,)),  # type: ignore[arg-type] # wrong on purpose
    lambda: isolab.match("random", "random", openings="/nowhere"),
    lambda: isolab.match("random", "random", board="2x2"),
    lambda: isolab.match("random", "random", pairs=0),
    lambda: isolab.match("random", "random", plies=61),
    lambda: isolab.match("random", "random", plies=-1),
    lambda: isolab.match("random", "random", seed=-1),
    lambda: isolab.match("random", "random", move_ms=0),
    lambda: isolab.match("random", "random", limit="x=1", pairs=1, board="3x3"),
    lambda: isolab.match("mcts", "random", limit="x=1"),
    lambda: isolab.match("mcts", "random", limit="depth=1"),
    lambda: isolab.match("random", "random", openings="all", plies=2),
    lambda: isolab.match("random", "random", board="5x5", plies=40),
    lambda: isolab.match("random", "random", pairs=1, runs="/dev/null/x"),
    lambda: isolab.tournament("random"),
    lambda: isolab.tournament([]),
    lambda: isolab.tournament(["random"], against=["random"], self_play=True),
    lambda: isolab.tournament(["random"] * 1001),
    lambda: isolab.tournament(["random"], field="curse"),
    lambda: isolab.sweep("mcts", "1,2", against="random"),
    lambda: isolab.sweep("mcts(c={})", against="random"),
    lambda: isolab.sweep("mcts(c={})", "1,2", against=[]),
    lambda: isolab.sweep("mcts(c={})", "1,,2", against="random"),
    lambda: isolab.Board(2, 2),
    lambda: isolab.parse_position("7/7/2A4/3x3/4B2/7/7 a").play(isolab.Square(0, 0)),
    lambda: isolab.parse_start("7by7"),
]

for number, call in enumerate(CALLS, start=1):
    try:
        call()
    except isolab.InputError as error:
        print(number, error)
    else:
        print(number, "was done")
print(isolab.InputError.__mro__[1:])
