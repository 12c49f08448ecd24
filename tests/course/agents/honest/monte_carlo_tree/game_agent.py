"""UCT. The tree is kept from one move to the next."""

import math
import random


class Node:
    __slots__ = ("children", "move", "parent", "state", "untried", "visits", "wins")

    def __init__(self, state, parent=None, move=None):
        self.state, self.parent, self.move = state, parent, move
        self.children, self.visits, self.wins = [], 0, 0.0
        self.untried = state.get_legal_moves()

    def best_child(self, c=1.4):
        return max(
            self.children, key=lambda n: round(n.wins / n.visits + c * math.sqrt(math.log(self.visits) / n.visits), 9)
        )


class CustomPlayer:
    iterations = 60

    def __init__(self):
        self.root = None

    def find_root(self, game):
        if self.root is not None:
            for child in self.root.children:
                if child.state._board_state == game._board_state:
                    child.parent = None
                    return child
        return Node(game)

    def get_move(self, game, time_left):
        root = self.root = self.find_root(game)
        if not root.untried and not root.children:
            return (-1, -1)
        for _ in range(self.iterations):
            if time_left() < 20:
                break
            node = self.select(root)
            winner = self.simulate(node.state)
            while node is not None:
                node.visits += 1
                node.wins += winner is not node.state.active_player
                node = node.parent
        if not root.children:
            return random.choice(root.untried)
        chosen = max(root.children, key=lambda n: (n.visits, n.move))
        self.root = chosen
        chosen.parent = None
        return chosen.move

    def select(self, node):
        while not node.untried and node.children:
            node = node.best_child()
        if node.untried:
            move = node.untried.pop()
            child = Node(node.state.forecast_move(move), node, move)
            node.children.append(child)
            return child
        return node

    def simulate(self, state):
        *cells, turn, two, one = state._board_state
        h, w = state.height, state.width
        places = {0: one, 1: two}
        if one is None or two is None:
            return random.choice([state.active_player, state.inactive_player])
        players = {turn: state.active_player, 1 - turn: state.inactive_player}
        while True:
            row, col = places[turn] % h, places[turn] // h
            options = [
                r + c * h
                for r, c in (
                    (row + 1, col + 2), (row + 2, col + 1), (row - 1, col + 2), (row - 2, col + 1),
                    (row + 1, col - 2), (row + 2, col - 1), (row - 1, col - 2), (row - 2, col - 1),
                )
                if 0 <= r < h and 0 <= c < w and not cells[r + c * h]
            ]  # fmt: skip
            if not options:
                return players[1 - turn]
            places[turn] = random.choice(options)
            cells[places[turn]] = 1
            turn = 1 - turn
