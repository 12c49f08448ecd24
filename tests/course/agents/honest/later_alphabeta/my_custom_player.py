"""Third version of the project: iterative deepening on bitboards, with an opening book in data.pickle."""

from isolation import DebugState
from sample_players import DataPlayer


class CustomPlayer(DataPlayer):
    """An agent for knight's Isolation on 9x11."""

    def get_action(self, state):
        if self.data and (state.board, state.locs) in self.data:
            self.queue.put(self.data[state.board, state.locs])
            return
        actions = state.actions()
        self.queue.put(actions[len(actions) // 2])
        if state.ply_count < 4:
            print(DebugState.from_state(state))
        if state.locs[self.player_id] is None:
            return
        if self.context is None:
            self.context = {"deepest": 0, "moves": 0}
        self.context["moves"] += 1
        for depth in range(1, 4):
            self.queue.put(self.decide(state, depth))
            self.context["deepest"] = max(self.context["deepest"], depth)

    def decide(self, state, depth):
        alpha, best = float("-inf"), None
        for action in state.actions():
            value = self.min_value(state.result(action), depth - 1, alpha, float("inf"))
            if best is None or value > alpha:
                alpha, best = value, action
        return best

    def score(self, state):
        own = state.liberties(state.locs[self.player_id])
        opp = state.liberties(state.locs[1 - self.player_id])
        return len(own) - 2 * len(opp)

    def min_value(self, state, depth, alpha, beta):
        if state.terminal_test():
            return state.utility(self.player_id)
        if depth <= 0:
            return self.score(state)
        for action in state.actions():
            beta = min(beta, self.max_value(state.result(action), depth - 1, alpha, beta))
            if alpha >= beta:
                break
        return beta

    def max_value(self, state, depth, alpha, beta):
        if state.terminal_test():
            return state.utility(self.player_id)
        if depth <= 0:
            return self.score(state)
        for action in state.actions():
            alpha = max(alpha, self.min_value(state.result(action), depth - 1, alpha, beta))
            if alpha >= beta:
                break
        return alpha
