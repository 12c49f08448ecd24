"""What is said of specs that are wrong, as a script sees it."""

import isolarium

WRONG = [
    *("", "  ", "alfabeta:improved", "xyz", "improved", "mine.py:h", ":", "@"),
    *("alphabeta:imroved@nodes=8000", "alphabeta", "alphabeta: @nodes=5", "random:improved"),
    *("mcts:@nodes=5", "greedy:balanced(wait=1)", "greedy:balanced(weight=big)"),
    *("greedy:staged(first=imroved)", "alphabeta:balanced(1", "alphabeta:balanced(1))"),
    *("alphabeta:balanced(1)x", "mcts(c=1)x", "mcts(c=1", "mcts(d=1)"),
    *("minmax_approximation(prove=true):null", "random(x=1)", "mcts(c)", "mcts(c=1, c=2)"),
    *("mcts(c=-1)", "minmax_approximation(p=0.5):null", "mcts(c=nan)", "mcts(c=2e6)"),
    *("minmax_approximation(proven=1):null", "minmax_approximation(scale=0):null"),
    *("random@nodes=5", "greedy:open@depth=1", "mcts@", "mcts@nodes=5,", "mcts@node=5"),
    *("mcts@8000", "mcts@nodes", "mcts@nodes=5,nodes=5", "mcts@book,book", "mcts@book=1"),
    *("mcts@nodes=5,bok", "random@book", "mcts@depth=3,book", "oracle:improved"),
    *("oracle@depth=4", "mcts@nodes=5@ms=5", "mcts@nodes=0", "mcts@nodes=-8000"),
    *("mcts@nodes=2.5", "mcts@nodes=1e16", "mcts@nodes=1e999", "mcts@nodes=nan"),
    *("mcts@nodes=many", "mcts@nodes=\uff18\uff10", "mcts@nodes=8\u212a", "mcts@nodes=8_000"),
    *("minimax:open@depth=0", "mcts@ms=0.0", "mcts@ms=inf", "mcts@depth=3"),
    *("greedy:nothing.py:h", "greedy:/:h", "greedy:/dev/zero:h", "greedy:mine.py"),
    *("greedy:~nobody-at-all/mine.py:h", "alphabeta:improved\n", "x\x00y", "a" * 1000, "\u2028"),
]
WRONG_HEURISTICS = [
    *("imroved", "staged(first=imroved)", "improved improved", "my_file.py", "(1)", "balanced("),
    *("balanced(1", "balanced(1,)", "balanced(1))", "balanced(1)2", "balanced(weight=)"),
    *("balanced(=1)", "balanced(weight=1=2)", "balanced(weigth=1)", "balanced(x=1)", "null(x=1)"),
    *("null(1)", "aggressive(1, 2)", "balanced(1, true, 3)", "balanced(1, weight=2)"),
    *("balanced(weight=1, true)", "balanced(weight=heavy)", "balanced(weight=nan)"),
    *("balanced(weight=1e999)", "balanced(weight=\u0663)", "balanced(weight=1(2))"),
    *("push_out(enough=2.5)", "push_out(enough=9007199254740994)", "free_moves(d=7)"),
    *("free_moves(u=0)", "way_out(growth=11)", "distance(f=arcan)", "distance(f=1)"),
    *("staged(first=3)", "staged(" * 60, "x" * 999, f"balanced({'9' * 999})", "balanced(y\n=1)"),
    *("a\nb", "alphabeta:improved", "staged(alphabeta:improved)", "stealer(x=true)"),
]

for spec in WRONG + [f"greedy:{text}" for text in WRONG_HEURISTICS]:
    try:
        isolarium.match(spec, "random", pairs=1, board="3x3")
    except isolarium.InputError as error:
        print(ascii(spec)[:70], "\n   ", error)
    else:
        print(ascii(spec), "was played")
