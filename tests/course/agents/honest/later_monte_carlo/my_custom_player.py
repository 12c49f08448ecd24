"""Monte Carlo on the later project's states; the book is read from the folder the game was started in, if any."""

import logging
import math
import pickle
import random

from isolation import Isolation
from sample_players import BasePlayer

logger = logging.getLogger(__name__)

try:
    with open("data.pickle", "rb") as f:
        BOOK = pickle.load(f)
except (FileNotFoundError, EOFError):
    BOOK = {}


class CustomPlayer(BasePlayer):
    def __init__(self, player_id):
        super().__init__(player_id)
        self.rounds = 24

    def get_action(self, state):
        logger.info("player %s", self.player_id)
        actions = state.actions()
        self.queue.put(BOOK.get(state, random.choice(actions)))
        if state.ply_count < 2 or len(actions) == 1:
            return
        stats = self.context or {}
        wins, visits = [0] * len(actions), [1] * len(actions)
        for n in range(self.rounds):
            i = max(range(len(actions)), key=lambda k: self.bound(wins[k], visits[k], n + 1))
            wins[i] += self.playout(state.result(actions[i]))
            visits[i] += 1
            best = max(range(len(actions)), key=lambda k: visits[k])
            self.queue.put(actions[best])
        stats[state.ply_count] = max(visits)
        self.context = stats

    @staticmethod
    def bound(wins, visits, total):
        return round(wins / visits + 1.2 * math.sqrt(math.log(total + 1) / visits), 9)

    def playout(self, state: Isolation):
        for _ in range(3):
            if state.terminal_test():
                return 1 if state.utility(self.player_id) > 0 else 0
            state = state.result(random.choice(state.actions()))
        own, opp = (len(state.liberties(state.locs[p])) for p in (self.player_id, 1 - self.player_id))
        return 1 if own > opp else 0
