"""Agents in Python, and what is not one."""

# mypy: ignore-errors
# People's files have no types.

import random

import helpers

from isolarium import Position, Square, policy
from isolarium.heuristics import heuristic, mobility


class Crowder:
    """Leaves its opponent few moves; remembers what it was given."""

    def start(self, board, seed):
        self.board, self.seed, self.moves = board, seed, 0

    def choose(self, position, limit):
        assert position.board == self.board
        self.moves += 1
        return str(min(position.legal_moves(), key=lambda move: replies(position, move)))


def replies(position: Position, move: Square) -> int:
    return len(position.play(move).legal_moves())


def drawn(position):
    return random.choice(position.legal_moves())


@policy
def last(observation, mask):
    return max(range(len(mask)), key=lambda action: (mask[action], action))


def with_helper(position):
    assert callable(helpers.edges)
    return position.legal_moves()[0]


class Tells:
    """Fails with what it was given."""

    def start(self, board, seed):
        self.board = board

    def choose(self, position, limit):
        raise ValueError(f"on {self.board} with {limit}")


def fails(position):
    return [][position.blank_count]


def astray(position):
    return "z9"


def resigns(position):
    return None


def exits(position):
    raise SystemExit(3)


def endless(position):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass


def of_two(position, other):
    return None


@heuristic
def freer(view, own, opp):
    return mobility(view, own)


class Silent:
    """Chooses nothing."""


NUMBER = 3
