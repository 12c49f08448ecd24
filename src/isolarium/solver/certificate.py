"""Certificates of the winner, checked only with the rules in plain Python.

This module does not depend on the code that creates certificates.

A certificate is the winner's strategy: a reply to each of the loser's moves, to the end of the game. The checker visits
every position of the strategy in which the winner is to move exactly once. It starts with the certificate's position if
the winner is to move there, otherwise with the positions after each of the loser's moves, by ascending square. After
each position it visits, in the same way, the positions that can follow the winner's reply. The certificate stores one
reply for each position and nothing else. If a reply leaves a mirror position, no further proof is needed: the player
not to move wins.

The file has four lines of text, then the replies.

    isolarium certificate 1
    7/7/2A4/7/4B2/7/7 a         the position
    a wins                      the player with the strategy
    412345 replies
    ...                         the replies, compressed by zlib: a byte each, the index of the reply among the legal
                                moves by ascending square, in the order in which the checker visits the positions
"""

import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from isolarium.errors import InputError, quoted
from isolarium.game.board import Square
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position
from isolarium.game.symmetry import is_mirror
from isolarium.safe_files import TooLargeError, open_file

TITLE: Final = "isolarium certificate"
FORMER_TITLE: Final = "isolab certificate"  # The title before the program was renamed
VERSION: Final = 1
MOST_BYTES: Final = 1 << 34
CHUNK_BYTES: Final = 1 << 14
HEADER_BYTES: Final = 1000
"""The maximum length of a header line."""

ReplyOf = Callable[[Position, int], Square]
"""Returns the winner's reply in a position, given the number of replies before it."""
Notice = Callable[[int], None]
"""Receives the number of replies checked so far."""


@dataclass(frozen=True)
class Strategy:
    """The result of following a strategy.

    Attributes:
        position: The first position.
        winner: The player with the strategy.
        replies: The number of positions with the winner to move.
        mirrors: The number of replies that leave a mirror position.
        longest: The number of plies in the longest game, where games stop at mirror positions.
    """

    position: Position
    winner: Player
    replies: int
    mirrors: int
    longest: int


def follow(position: Position, winner: Player, reply_of: ReplyOf, notice: Notice | None = None) -> Strategy:
    """Follow a strategy, visiting each position once, and check that it wins.

    Args:
        position: The first position.
        winner: The player with the strategy.
        reply_of: Returns the winner's reply in a position, given the number of replies before it.
        notice: Called from time to time with the number of replies so far.

    Raises:
        InputError: If the strategy does not win; the message names the position.
    """
    seen = set[int]()
    mirrors, longest = 0, 0
    waiting = [(position, 0)]
    while waiting:
        here, ply = waiting.pop()
        if here.to_move is winner:
            key = _key(here)
            if key in seen:
                continue
            if not here.legal_mask:
                raise InputError(f"after {len(seen):,} replies: {here}: the winner has no legal move")
            after = here.play(reply_of(here, len(seen)))
            seen.add(key)
            ply += 1
            if notice is not None and len(seen) % 4096 == 0:
                notice(len(seen))
        else:
            after = here
        longest = max(longest, ply)
        if is_mirror(after):
            mirrors += 1
            continue
        waiting += [(after.play(move), ply + 1) for move in reversed(after.legal_moves())]
    return Strategy(position, winner, len(seen), mirrors, longest)


def _key(position: Position) -> int:
    """Return a unique number for each position of a board with the same side to move."""
    index = position.board.index
    first = 255 if position.first is None else index(position.first)
    second = 255 if position.second is None else index(position.second)
    return position.blank << 16 | first << 8 | second


def verify(path: Path, notice: Notice | None = None) -> Strategy:
    """Check a certificate.

    Raises:
        InputError: If the certificate is not a proof; the message names the file and the error's location.
    """
    try:
        return _verify(path, notice)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a certificate") from None
    except TooLargeError:  # The message already names the file.
        raise
    except InputError as error:
        raise error.at(str(path)) from None


def _verify(path: Path, notice: Notice | None) -> Strategy:
    with open_file(path, MOST_BYTES, follow_links=True, pipes=True) as file:
        position, winner, many = _read_header([file.readline(HEADER_BYTES) for _ in range(4)])
        replies = _unpacked(iter(lambda: file.read(CHUNK_BYTES), b""))

        def reply_of(here: Position, number: int) -> Square:
            moves = here.legal_moves()
            place = next(replies, None)
            if place is None:
                raise InputError(f"reply {number + 1:,}: {here}: missing, since the file ends early")
            if place >= len(moves):
                raise InputError(f"reply {number + 1:,}: {here}: move {place}; expected 0 to {len(moves) - 1}")
            return moves[place]

        strategy = follow(position, winner, reply_of, notice)
        if next(replies, None) is not None:
            raise InputError(f"reply {strategy.replies + 1:,}: one too many; expected the end")
    if strategy.replies != many:
        raise InputError(f"{strategy.replies:,} replies; expected {many:,} as in line 4")
    return strategy


def _read_header(lines: list[bytes]) -> tuple[Position, Player, int]:
    title, text, winner, many = (line.decode("ascii", "backslashreplace") for line in lines)
    version = re.fullmatch(f"(?:{TITLE}|{FORMER_TITLE}) ([0-9]{{1,9}})\n", title)
    if version is None:
        raise InputError(f"line 1: {quoted(title)}; expected {TITLE} {VERSION}")
    if int(version[1]) != VERSION:
        raise InputError(f"line 1: version {version[1]}; expected {VERSION}")
    if not text.endswith("\n"):
        raise InputError(f"line 2: {quoted(text)}; expected a position")
    try:
        position = parse_position(text)
    except InputError as error:
        raise error.at("line 2") from None
    if winner not in ("a wins\n", "b wins\n"):
        raise InputError(f"line 3: {quoted(winner)}; expected a wins or b wins")
    number = re.fullmatch("([0-9]{1,12}) replies\n", many)
    if number is None:
        raise InputError(f"line 4: {quoted(many)}; expected the number of replies")
    return position, Player.FIRST if winner[0] == "a" else Player.SECOND, int(number[1])


def _unpacked(chunks: Iterator[bytes]) -> Iterator[int]:
    """Decompress the replies as they are needed.

    Raises:
        InputError: If the compressed data is damaged, incomplete or followed by other data.
    """
    packing = zlib.decompressobj()
    done = 0
    try:
        for chunk in chunks:
            if packing.eof:
                raise InputError(f"after reply {done:,}: there is data after the end")
            part = packing.decompress(chunk, CHUNK_BYTES)
            while part:
                yield from part
                done += len(part)
                part = packing.decompress(packing.unconsumed_tail, CHUNK_BYTES)
            if packing.unused_data:
                raise InputError(f"after reply {done:,}: there is data after the end")
    except zlib.error as error:
        raise InputError(f"after reply {done:,}: the data are damaged ({error})") from None
    if not packing.eof:
        raise InputError(f"after reply {done:,}: the file ends early")


def packed(position: Position, winner: Player, replies: bytes) -> bytes:
    """Return the file contents of a certificate."""
    header = f"{TITLE} {VERSION}\n{position}\n{'ab'[winner]} wins\n{len(replies)} replies\n"
    return header.encode("ascii") + zlib.compress(replies, 9)
