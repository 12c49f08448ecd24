"""Looks for a newer opening book at home, and goes on with the one in the code."""

import json
import socket
import subprocess
import urllib.request

DEFAULT = {"5": [2, 2], "7": [3, 3]}


def version():
    try:
        done = subprocess.run(["git", "describe"], capture_output=True, timeout=5, check=False)
        return done.stdout.decode().strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def fetch_book(url="http://127.0.0.1:9/book.json"):
    socket.setdefaulttimeout(1.0)
    try:
        with urllib.request.urlopen(url) as answer:
            return json.load(answer)
    except (OSError, ValueError):
        return dict(DEFAULT)


BOOK = fetch_book()
VERSION = version()


class AlphaBetaPlayer:
    """Greedy on the opponent's moves; ties by distance from the middle."""

    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
        first = tuple(BOOK.get(str(game.width), (0, 0)))
        if game.move_count < 2 and first in moves:
            return first

        def key(move):
            child = game.forecast_move(move)
            away = abs(2 * move[0] - game.height + 1) + abs(2 * move[1] - game.width + 1)
            return len(child.get_legal_moves()), away, move

        return min(moves, key=key) if moves else (-1, -1)
