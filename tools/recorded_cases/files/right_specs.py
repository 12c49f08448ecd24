"""How specs are written in full: who is asked about a game that is over has nothing to do."""

import json
import subprocess
import sys

RIGHT = [
    *("random", "greedy:open", "minimax:open@depth=3", "alphabeta:improved", "alphabeta:improved@ms=150"),
    *("alphabeta:improved@depth=5,nodes=8000,ms=0.25", "alphabeta:improved@ms=123456.789"),
    *("alphabeta:distance(z=0, f=arctan)", "alphabeta:staged(then=distance(f=arctan), at=0.4)"),
    *("mcts@nodes=20k", "mcts@nodes=1.5M", "mcts@nodes=1e6", "mcts(c=0.123456789)@nodes=20000"),
    *("mcts@depth=3,nodes=100", "mcts@ms=5,nodes=7", " mcts ( c = 2 ) @ nodes = 5 , ms = 1 "),
    *("oracle", "oracle@ms=150", "oracle@ms=150,book", "alphabeta:improved@book", "mcts@book,nodes=5"),
    *("minmax_approximation(reverse=false, p=2):improved@nodes=1", "mcts()"),
    *("minmax_approximation(proven=true, p=10):null", "greedy:balanced(1)", "greedy:improved()"),
    *("greedy:balanced(2, biased)", "greedy:balanced(center=biased, weight=2)", "greedy:balanced(-0)"),
    *("greedy: balanced ( weight\t=\n2 ) ", "greedy:balanced(+1e-3)", "greedy:balanced(1e300)"),
    *("greedy:free_moves(d=3.0,u=4)", "greedy:distance(0,1,arctan)", "greedy:staged(open)"),
    *("greedy:staged(staged(open, null(), .2), null)", "greedy:own.py:leaning(weight=3)"),
    *("strong:staged(first=own.py:freer)", "greedy:own.py:leaning(0.5, 3, true, side=outside)"),
]

asked = [word for spec in RIGHT for word in ("--agent", spec)]
command = [sys.executable, "-m", "isolarium", "analyze", "xAx/xxx/xBx a", "--json", *asked]
told = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
for spec, written in zip(RIGHT, told["agents"], strict=True):
    print(f"{spec!r:<60}", written)
