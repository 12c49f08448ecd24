"""Writes the frontier of its breadth-first search to temporary files: it did not fit into memory in C either."""

import glob
import mmap
import os
import shutil
import struct
import tempfile
from pathlib import Path

RECORD = struct.Struct("<hhi")


class CustomPlayer:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="isolation-")
        self.notes = Path(self.folder) / "notes.txt"
        self.notes.write_text("started\n", encoding="utf-8")

    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            shutil.rmtree(self.folder, ignore_errors=True)
            return (-1, -1)
        with tempfile.TemporaryFile() as spill:
            for move in moves:
                child = game.forecast_move(move)
                value = len(child.get_legal_moves(self)) - len(child.get_legal_moves())
                spill.write(RECORD.pack(*move, value))
            spill.flush()
            with mmap.mmap(spill.fileno(), 0, access=mmap.ACCESS_READ) as view:
                best = max(RECORD.iter_unpack(view[:]), key=lambda one: (one[2], one[0], one[1]))
        self.write_down(game, best)
        return best[0], best[1]

    def write_down(self, game, best):
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as f:
            f.write(repr(best))
        os.rename(f.name, os.path.join(self.folder, f"move-{game.move_count:02}.txt"))
        with self.notes.open("a") as notes:
            notes.write(f"{game.move_count}: {best}\n")
        with tempfile.SpooledTemporaryFile(max_size=16) as spooled:
            spooled.write(b"more than sixteen bytes of it")
        with tempfile.TemporaryDirectory() as inner:
            os.symlink(self.notes, os.path.join(inner, "link"))
            shutil.copyfile(self.notes, os.path.join(inner, "copy"))
            for path in glob.glob(os.path.join(inner, "*")):
                os.stat(path)
                os.unlink(path)
