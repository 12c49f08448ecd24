"""A student's agent for the later project: alpha-beta that deepens, and puts the best action so far on the queue."""

import random

from evaluation import liberties
from sample_players import DataPlayer

DEEPEST = 4


class CustomPlayer(DataPlayer):
    """Random placements, then alpha-beta until the queue says that the time is over."""

    def get_action(self, state):
        self.queue.put(random.choice(state.actions()))
        if state.ply_count < 2:
            return
        for depth in range(1, DEEPEST + 1):
            self.context = depth
            self.queue.put(self.alphabeta(state, depth))

    def alphabeta(self, state, depth):
        actions = state.actions()
        alpha, best = float("-inf"), actions[0]
        for action in actions:
            value = self.value(state.result(action), depth - 1, alpha, float("inf"))
            if value > alpha:
                alpha, best = value, action
        return best

    def value(self, state, depth, alpha, beta):
        if state.terminal_test():
            return state.utility(self.player_id)
        if depth == 0:
            return liberties(state, self.player_id)
        if state.player() == self.player_id:
            for action in state.actions():
                alpha = max(alpha, self.value(state.result(action), depth - 1, alpha, beta))
                if alpha >= beta:
                    break
            return alpha
        for action in state.actions():
            beta = min(beta, self.value(state.result(action), depth - 1, alpha, beta))
            if alpha >= beta:
                break
        return beta
