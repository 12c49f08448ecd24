import random

from numpy.random import RandomState

random.seed(2017)


class MinimaxPlayer:
    def __init__(self, games=10):
        random.seed(42)
        self.own = random.Random("a seed of my own")
        self.state = RandomState(7)
        self.games = games

    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
        random.shuffle(moves)
        if not moves:
            return (-1, -1)
        if game.move_count < 2:
            return self.own.choice(moves)
        wins = dict.fromkeys(moves, 0)
        for move in moves:
            for _ in range(self.games):
                if time_left() < 15:
                    return max(moves, key=wins.get)
                wins[move] += self.rollout(game.forecast_move(move))
        best = max(wins.values())
        return random.choice([m for m in moves if wins[m] == best])

    def rollout(self, game):
        board = game.copy()
        for _ in range(6):
            moves = board.get_legal_moves()
            if not moves:
                return 2 if board.is_winner(self) else -2
            # biased to squares near the top, a bit of noise from numpy
            moves = random.sample(moves, k=len(moves))
            board.apply_move(moves[self.state.randint(len(moves))])
        return 1 if len(board.get_legal_moves(self)) > 2 else 0
