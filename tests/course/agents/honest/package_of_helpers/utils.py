"""Odds and ends."""


def middle(game):
    return game.height // 2, game.width // 2
