"""Certificates, and their checking by the rules in plain Python alone. Nothing here knows how they are found.

A certificate is the winner's strategy: a reply to every reply, down to the end. The checker goes through all positions
with the winner to move that the strategy leads to, each once, in this order: first the position itself if the winner is
to move there, or else the positions after each of the loser's moves, by ascending square; after each position, in the
same way, those that its reply leads to. There is one reply for each of them, and nothing else has to be stored.
Where the reply leaves a mirror position, nothing more has to be shown: whoever is not to move there wins.

The file: four lines of text, then the replies.

    isolarium certificate 1
    7/7/2A4/7/4B2/7/7 a         the position
    a wins                      who has the strategy
    412345 replies
    ...                         the replies packed by zlib: a byte each, which of the legal moves, by ascending square,
                                from 0 on, in the order in which the checker meets the positions
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
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.safe_files import TooLargeError, open_file
from isolarium.solver.mirror import is_mirror

TITLE: Final = "isolarium certificate"
FORMER_TITLE: Final = "isolab certificate"  # of versions before the program was renamed
VERSION: Final = 1
MOST_BYTES: Final = 1 << 34
CHUNK_BYTES: Final = 1 << 14
HEADER_BYTES: Final = 1000
"""No header is longer than this."""

ReplyOf = Callable[[Position, int], Square]
Notice = Callable[[int], None]


@dataclass(frozen=True)
class Strategy:
    """What was gone through.

    Attributes:
        position: where it starts.
        winner: who has it.
        replies: positions with the winner to move that it leads to.
        mirrors: how many of its replies leave a mirror position.
        longest: plies of the longest game that it leads to, mirror positions not played out.
    """

    position: Position
    winner: Player
    replies: int
    mirrors: int
    longest: int


def follow(
    position: Position, winner: Player, reply_of: ReplyOf, notice: Notice | None = None
) -> Strategy:
    """Go through a strategy, each position once, and see that it wins.

    Args:
        position: where it starts.
        winner: who has it.
        reply_of: the winner's reply in a position, given how many were asked for before.
        notice: told now and then how many replies were gone through.

    Raises:
        InputError: it does not win; the message says where.
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
                raise InputError(
                    f"after {len(seen):,} replies: {here}: the winner is to move and cannot"
                )
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
    """A number for each position of one board and one side to move."""
    index = position.board.index
    first = 255 if position.first is None else index(position.first)
    second = 255 if position.second is None else index(position.second)
    return position.blank << 16 | first << 8 | second


def verify(path: Path, notice: Notice | None = None) -> Strategy:
    """Check a certificate.

    Raises:
        InputError: it proves nothing; the message names the file and the place.
    """
    try:
        return _verify(path, notice)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected a certificate") from None
    except TooLargeError:  # it names the file
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
                raise InputError(
                    f"reply {number + 1:,}: {here}: there is none; the file ends early"
                )
            if place >= len(moves):
                raise InputError(
                    f"reply {number + 1:,}: {here}: move {place}; expected 0 to {len(moves) - 1}"
                )
            return moves[place]

        strategy = follow(position, winner, reply_of, notice)
        if next(replies, None) is not None:
            raise InputError(f"reply {strategy.replies + 1:,}: one too many; the strategy is whole")
    if strategy.replies != many:
        raise InputError(f"{strategy.replies:,} replies where line 4 says {many:,}")
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
        raise InputError(f"line 4: {quoted(many)}; expected how many replies")
    return position, Player.FIRST if winner[0] == "a" else Player.SECOND, int(number[1])


def _unpacked(chunks: Iterator[bytes]) -> Iterator[int]:
    """The replies, as they are needed.

    Raises:
        InputError: the packing is damaged, not complete, or followed by something.
    """
    packing = zlib.decompressobj()
    done = 0
    try:
        for chunk in chunks:
            if packing.eof:
                raise InputError(f"after reply {done:,}: the file goes on after its end")
            part = packing.decompress(chunk, CHUNK_BYTES)
            while part:
                yield from part
                done += len(part)
                part = packing.decompress(packing.unconsumed_tail, CHUNK_BYTES)
            if packing.unused_data:
                raise InputError(f"after reply {done:,}: the file goes on after its end")
    except zlib.error as error:
        raise InputError(f"after reply {done:,}: the packing is damaged ({error})") from None
    if not packing.eof:
        raise InputError(f"after reply {done:,}: the file ends early")


def packed(position: Position, winner: Player, replies: bytes) -> bytes:
    """The file of a certificate."""
    header = f"{TITLE} {VERSION}\n{position}\n{'ab'[winner]} wins\n{len(replies)} replies\n"
    return header.encode("ascii") + zlib.compress(replies, 9)
