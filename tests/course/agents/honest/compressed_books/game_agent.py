import bz2
import gzip
import json
import lzma
import os
import zipfile
import zlib
from importlib import resources

FOLDER = os.path.dirname(__file__) or "."

with zipfile.ZipFile(os.path.join(FOLDER, "book.zip")) as archive:
    PLACEMENTS = {
        name.split("/")[0]: [tuple(s) for s in json.loads(archive.read(name))]
        for name in archive.namelist()
        if name.endswith(".json")
    }
with gzip.open(os.path.join(FOLDER, "values.json.gz"), "rt", encoding="utf-8") as f:
    VALUES = {int(k): v for k, v in json.load(f).items()}


class AlphaBetaPlayer:
    def __init__(self):
        self.log = b""

    def get_move(self, game, time_left):
        moves = set(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        if game.get_player_location(self) is None:
            book = PLACEMENTS.get(f"{game.height}x{game.width}", sorted(moves))
            return next(s for s in book if s in moves)
        return max(sorted(moves), key=lambda m: self.value(game.forecast_move(m)))

    def value(self, game):
        own = len(game.get_legal_moves(self))
        opp = len(game.get_legal_moves(game.get_opponent(self)))
        packed = zlib.compress(bytes(c or 0 for c in game._board_state[:-3]), 9)
        self.log = bz2.compress(lzma.compress(packed))
        assert zlib.decompress(lzma.decompress(bz2.decompress(self.log)))
        return 10 * (own - opp) + VALUES[len(game.get_blank_spaces())] * own
