"""Plays by mobility until the players are cut off from each other, then counts the longest paths exactly."""


class OutOfBudget(Exception):
    pass


def steps(square):
    r, c = square
    return (
        (r - 2, c - 1), (r - 2, c + 1), (r - 1, c - 2), (r - 1, c + 2),
        (r + 1, c - 2), (r + 1, c + 2), (r + 2, c - 1), (r + 2, c + 1),
    )  # fmt: skip


def region(start, blank):
    seen, stack = set(), [start]
    while stack:
        for there in steps(stack.pop()):
            if there in blank and there not in seen:
                seen.add(there)
                stack.append(there)
    return seen


class PathCounter:
    def __init__(self, budget):
        self.budget = budget
        self.memo = {}

    def longest(self, square, blank):
        key = square, blank
        if key not in self.memo:
            self.budget -= 1
            if self.budget < 0:
                raise OutOfBudget
            self.memo[key] = max((1 + self.longest(s, blank - {s}) for s in steps(square) if s in blank), default=0)
        return self.memo[key]


class AlphaBetaPlayer:
    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        opponent = game.get_player_location(game.get_opponent(self))
        own = game.get_player_location(self)
        if own is not None and opponent is not None:
            blank = frozenset(game.get_blank_spaces())
            mine = region(own, blank)
            if not mine & region(opponent, blank):
                try:
                    counter = PathCounter(4000)
                    area = frozenset(mine)
                    return max(moves, key=lambda m: (counter.longest(m, area - {m}), m))
                except OutOfBudget:
                    pass
        return max(moves, key=lambda m: (self.freedom(game.forecast_move(m)), m))

    def freedom(self, game):
        """Warnsdorff backwards: many ways on for me, few for the other."""
        blank = frozenset(game.get_blank_spaces())
        mine = game.get_player_location(self)
        onward = sum(len([1 for t in steps(s) if t in blank]) for s in steps(mine) if s in blank)
        return onward - 4 * len(game.get_legal_moves()) if game.move_count > 2 else -abs(onward - 9)
