"""Position keys from every hash there is, and a name for each game."""

import base64
import hashlib
import locale
import os
import platform
import secrets
import string
import textwrap
import uuid
import zlib
from datetime import date, datetime, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

GAME = uuid.uuid4().hex
MACHINE = uuid.uuid1().node
TOKEN = secrets.token_urlsafe(8)
NOISE = os.urandom(4)

try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
try:
    ZONE = ZoneInfo("Europe/Berlin")
except (ZoneInfoNotFoundError, OSError):
    ZONE = timezone.utc


def key(game):
    text = ",".join(map(str, game._board_state))
    return hashlib.md5(text.encode()).hexdigest(), hashlib.sha256(text.encode()).digest()[0]


class CustomPlayer:
    def get_move(self, game, time_left):
        now = datetime.now(ZONE)
        print(textwrap.fill(f"{GAME} {TOKEN} {date.today()} {now:%H:%M} {platform.platform()}", 60))
        moves = sorted(game.get_legal_moves())
        scored = []
        for m in moves:
            child = game.forecast_move(m)
            digest, byte = key(child)
            checksum = zlib.crc32(base64.b64encode(digest.encode()))
            own = len(child.get_legal_moves(self))
            letter = string.ascii_lowercase[checksum % 26]
            scored.append((own - len(child.get_legal_moves()), letter, byte, m))
        return max(scored)[3] if scored else (-1, -1)
