# -*- coding: utf-8 -*-
from __future__ import print_function

import os
import pprint
import sys

DEBUG = True


def log(*args, **kwargs):
    if DEBUG:
        print(*args, **kwargs)


def draw(game):
    """♞ and ♘ on a board of dots."""
    marks = {game.get_player_location(game.active_player): "♞"}
    marks[game.get_player_location(game.inactive_player)] = "♘"
    blank = game.get_blank_spaces()
    for r in range(game.height):
        cells = [marks.get((r, c), "·" if (r, c) in blank else "█") for c in range(game.width)]
        log(" ".join(cells))


class AlphaBetaPlayer:
    def __init__(self, depth=2):
        self.depth = depth
        os.system("clear")
        log("hello from", self.__class__.__name__, "— viel Glück! 祝你好运 🍀")

    def get_move(self, game, time_left):
        log("\033[1m=== move", game.move_count, "\033[0m", "time left: %.2f" % time_left())
        log(game.print_board())
        draw(game)
        self.time_left = time_left
        tree = {}
        moves = sorted(game.get_legal_moves())
        for m in moves:
            tree[m] = self.search(game.forecast_move(m), self.depth - 1, tree=tree)
            sys.stdout.write("{} -> {:+.1f}\r".format(m, tree[m]))
        sys.stdout.flush()
        pprint.pprint(tree, width=60)
        log("warning: no moves!" if not moves else "ok", file=sys.stderr)
        for line in range(200):
            log("thinking" + "." * (line % 40))
        return max(moves, key=lambda m: (tree[m], m)) if moves else (-1, -1)

    def search(self, game, depth, tree):
        moves = game.get_legal_moves()
        if depth <= 0 or not moves or self.time_left() < 10 or len(moves) > 8:
            mine = len(game.get_legal_moves(self))
            theirs = len(game.get_legal_moves(game.get_opponent(self)))
            log("    leaf", mine, theirs, sep="\t")
            return float(mine - theirs) if moves else game.utility(self)
        pick = max if game.active_player is self else min
        return pick(self.search(game.forecast_move(m), depth - 1, tree) for m in moves)
