"""All numbers live in data/, so that I can tune them without touching code."""

import csv
import json
from pathlib import Path

DATA = Path(__file__).parent / "data"


def read_squares(width, height):
    table = {}
    try:
        with (DATA / "squares" / f"{width}x{height}.csv").open(newline="", encoding="utf-8") as f:
            for line in csv.DictReader(f):
                table[int(line["row"]), int(line["col"])] = int(line["value"])
    except FileNotFoundError:
        pass  # no table for this board
    return table


CONFIG = json.loads((DATA / "weights.json").read_text(encoding="utf-8"))
TABLES = {p.stem: read_squares(*map(int, p.stem.split("x"))) for p in DATA.glob("squares/*.csv")}


def custom_score(game, player):
    if game.is_loser(player) or game.is_winner(player):
        return game.utility(player)
    table = TABLES.get(f"{game.width}x{game.height}", {})
    phase = next(p for p in CONFIG["phases"] if game.move_count <= p["until"])
    opp = game.get_opponent(player)
    score = CONFIG["own"] * len(game.get_legal_moves(player))
    score += CONFIG["opponent"] * len(game.get_legal_moves(opp))
    for who, sign in ((player, 1), (opp, -1)):
        score += sign * phase["center"] * table.get(game.get_player_location(who), 0)
    return float(score)


class MinimaxPlayer:
    def __init__(self, search_depth=2, score_fn=custom_score, timeout=15.0):
        self.search_depth, self.score, self.timeout = search_depth, score_fn, timeout

    def get_move(self, game, time_left):
        self.time_left = time_left
        if game.get_player_location(self) is None:
            table = read_squares(game.width, game.height)
            return max(game.get_legal_moves(), key=lambda s: (table.get(s, 0), s))
        scored = [(self.min_value(game.forecast_move(m), self.search_depth - 1), m) for m in game.get_legal_moves()]
        return max(scored)[1]

    def leaf(self, game, depth, moves):
        return depth <= 0 or not moves or self.time_left() < self.timeout

    def min_value(self, game, depth):
        moves = game.get_legal_moves()
        if self.leaf(game, depth, moves):
            return self.score(game, self)
        return min(self.max_value(game.forecast_move(m), depth - 1) for m in moves)

    def max_value(self, game, depth):
        moves = game.get_legal_moves()
        if self.leaf(game, depth, moves):
            return self.score(game, self)
        return max(self.min_value(game.forecast_move(m), depth - 1) for m in moves)
