"""Keeps what it has evaluated in a database. In memory, and a second one in a file if that can be made."""

import os
import sqlite3
import tempfile

SCHEMA = "CREATE TABLE IF NOT EXISTS positions (key TEXT PRIMARY KEY, value INTEGER, visits INTEGER)"


class Store:
    def __init__(self):
        self.memory = sqlite3.connect(":memory:")
        self.memory.execute(SCHEMA)
        try:
            self.disk = sqlite3.connect(os.path.join(tempfile.gettempdir(), "positions.db"))
            self.disk.execute("PRAGMA synchronous = OFF")
            self.disk.execute(SCHEMA)
            self.disk.commit()
        except sqlite3.Error as error:
            print("no file for positions:", error)
            self.disk = None

    def get(self, key):
        row = self.memory.execute("SELECT value FROM positions WHERE key = ?", (key,)).fetchone()
        return row and row[0]

    def put(self, key, value):
        with self.memory:
            self.memory.execute("INSERT OR REPLACE INTO positions VALUES (?, ?, 1)", (key, value))

    def flush(self):
        if self.disk is None:
            return
        try:
            rows = self.memory.execute("SELECT * FROM positions ORDER BY key LIMIT 50").fetchall()
            with self.disk:
                self.disk.executemany("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            print("cannot write:", error)
            self.disk = None


class AlphaBetaPlayer:
    def __init__(self):
        self.store = Store()

    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        values = [self.value(game.forecast_move(m), 1, time_left) for m in moves]
        self.store.flush()
        return moves[values.index(max(values))]

    def value(self, game, depth, time_left):
        key = game.to_string() + str(depth) + str(game.active_player is self)
        known = self.store.get(key)
        if known is not None:
            return known
        moves = game.get_legal_moves()
        if depth == 0 or not 0 < len(moves) <= 8 or time_left() < 20:
            own = len(game.get_legal_moves(self))
            value = 3 * own - 5 * len(game.get_legal_moves(game.get_opponent(self)))
        else:
            value = min(self.value(game.forecast_move(m), depth - 1, time_left) for m in moves)
        self.store.put(key, value)
        return value
