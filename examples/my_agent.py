"""Two agents in Python: a function and a class.

Play them from the command line:

    isolarium match agent:my_agent.py:fewest_replies greedy:open --pairs 50
    isolarium match agent:my_agent.py:Patient@nodes=500 mcts@nodes=500 --pairs 50

or from Python: `isolarium.match(fewest_replies, "greedy:open")`.
docs/how-to/write-an-agent.md explains them.
"""


def fewest_replies(position):
    """Leave the opponent as few moves as possible."""
    return min(position.legal_moves(), key=lambda move: len(position.play(move).legal_moves()))


class Patient:
    """Plays the first legal move, and counts its moves."""

    def start(self, board, seed):
        """Called before the first move of each game."""
        self.moves = 0

    def choose(self, position, limit):
        """Look at `limit.nodes` positions, or stop after `limit.time_ms`."""
        self.moves += 1
        return position.legal_moves()[0]
