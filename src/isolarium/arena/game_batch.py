"""Games as columns: many games in a handful of arrays.

A `GameBatch` holds the games of a span, or of a whole run. Workers return batches, the database
stores them, and statistics are computed from their columns. A `Game` is created only on access.
`batch_codec` converts batches to and from bytes, and `game_checks` checks them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from isolarium.arena.game import Game, check_values
from isolarium.arena.lines import Lines, Numbers, square_names
from isolarium.game.board import Board
from isolarium.game.position import Player, Reason

Codes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Score = float | str | None
"""A move's score, as in `Game.scores`."""

REASONS: Final = (Reason.NO_MOVES, Reason.ILLEGAL_MOVE, Reason.RESIGNATION, Reason.TIME, Reason.CRASH, Reason.MEMORY)
"""The reason for each code in `GameBatch.reasons`; databases store the codes."""
REASON_CODES: Final = {reason: code for code, reason in enumerate(REASONS)}

# The kinds of scores. Databases store them.

NUMBER: Final = 0
"""The score is a float, which may be infinite."""
WHOLE: Final = 1
"""The score is an int of at most `MOST_WHOLE`, stored as the equal float."""
LARGE: Final = 2
"""The score is a larger int; its 64 bits are stored in place of a float's."""
UNKNOWN: Final = 3
"""There is no score; 0 is stored."""
WIN: Final = 4
"""A proven win; the number of plies is stored, or `NO_PLIES`."""
LOSS: Final = 5
"""A proven loss, stored like a win."""
NO_PLIES: Final = -1.0
MOST_WHOLE: Final = 1 << 53
_LEAST_NUMBER: Final = -(1 << 31)


@dataclass(frozen=True, slots=True, eq=False)
class GameBatch:
    """Finished games as columns.

    The arrays of the first group have a value for each game. Those of the second group have a value for each move of an
    agent, game by game. Batches made here are ordered by encounter, pair and leg.

    Attributes:
        board: The board.
        encounters: The number of each game's encounter in the plan, int32.
        pairs: The number of its opening, int32.
        legs: 0 if the encounter's first agent moved first, else 1; uint8.
        players: The first and the second player, as indices into the plan's players; int32, with two columns.
        openings: The moves made for the agents, by square number.
        moves: The agents' moves, by square number.
        winners: 0 if the first player won, else 1; uint8.
        reasons: Why the other player lost: codes of `REASONS`, uint8.
        notes: Descriptions of failures, by the game's place in this batch; most games have none.
        scores: The score of each move, float64; `kinds` explains it.
        kinds: The kind of each score: `NUMBER`, `WHOLE`, `LARGE`, `UNKNOWN`, `WIN` or `LOSS`; uint8.
        depths: Search depths in plies, int64.
        nodes: Positions entered, int64.
        times_ms: Times on the clock, float64; None if only the time of all games is known.
        busy_ms: Times at work; None if they are the same as the times on the clock.
        seconds: The time that the encounter's first and second agents took for all of their moves, if `times_ms` is
            None.
    """

    board: Board
    encounters: NDArray[np.int32]
    pairs: NDArray[np.int32]
    legs: Codes
    players: NDArray[np.int32]
    openings: Lines
    moves: Lines
    winners: Codes
    reasons: Codes
    notes: Mapping[int, str]
    scores: Floats
    kinds: Codes
    depths: Numbers
    nodes: Numbers
    times_ms: Floats | None
    busy_ms: Floats | None
    seconds: tuple[float, float] = (0.0, 0.0)

    # Making batches

    @classmethod
    def of_span(
        cls,
        board: Board,
        encounter: int,
        first_pair: int,
        players: tuple[int, int],
        openings: Lines,
        moves: Lines,
        winners: Codes,
        reasons: Codes,
        scores: Floats,
        kinds: Codes,
        depths: Numbers,
        nodes: Numbers,
        seconds: tuple[float, float],
    ) -> Self:
        """Return the games of a span, ordered by pair and leg.

        Args:
            board: The board.
            encounter: The number of the encounter.
            first_pair: The number of the first pair.
            players: The encounter's agents, as indices into the plan's players.
            openings: The opening of each pair; every other argument has both legs.
            moves: The agents' moves.
            winners: See `GameBatch`.
            reasons: See `GameBatch`.
            scores: See `GameBatch`.
            kinds: See `GameBatch`.
            depths: See `GameBatch`.
            nodes: See `GameBatch`.
            seconds: See `GameBatch`.
        """
        numbers = np.repeat(np.arange(len(openings), dtype=np.int64), 2)
        legs = np.tile(np.array([0, 1], dtype=np.uint8), len(openings))
        seats = np.array([players, players[::-1]], dtype=np.int32)
        return cls(
            board,
            np.full(len(numbers), encounter, dtype=np.int32),
            (first_pair + numbers).astype(np.int32),
            legs,
            seats[legs],
            openings.take(numbers),
            moves,
            winners,
            reasons,
            {},
            scores,
            kinds,
            depths,
            nodes,
            None,
            None,
            seconds,
        )

    @classmethod
    def from_games(cls, board: Board, games: Sequence[Game]) -> Self:
        """Convert games to columns.

        Raises:
            ValueError: If a game has a value that a batch cannot hold.
        """
        for game in games:
            check_values(game)
            _check_numbers(game)
        flat = [score for game in games for score in game.scores]
        scores, kinds = encode_scores(flat)
        has_busy = any(game.busy_ms != game.times_ms for game in games)
        return cls(
            board,
            np.array([game.encounter for game in games], dtype=np.int32),
            np.array([game.pair for game in games], dtype=np.int32),
            np.array([game.leg for game in games], dtype=np.uint8),
            np.array([game.players for game in games], dtype=np.int32).reshape(len(games), 2),
            _lines(board, [game.opening for game in games]),
            _lines(board, [game.moves for game in games]),
            np.array([game.winner for game in games], dtype=np.uint8),
            np.array([REASON_CODES[game.reason] for game in games], dtype=np.uint8),
            {place: game.note for place, game in enumerate(games) if game.note},
            scores,
            kinds,
            np.array([depth for game in games for depth in game.depths], dtype=np.int64),
            np.array([nodes for game in games for nodes in game.nodes], dtype=np.int64),
            np.array([ms for game in games for ms in game.times_ms], dtype=np.float64),
            np.array([ms for game in games for ms in game.busy_ms], dtype=np.float64) if has_busy else None,
        )

    @classmethod
    def concatenate(cls, parts: Sequence["GameBatch"]) -> "GameBatch":
        """Join batches of one board, at least one, in the given order."""
        if len(parts) == 1:
            return parts[0]
        has_busy = any(part.busy_ms is not None for part in parts)
        notes, count = dict[int, str](), 0
        for part in parts:
            notes.update({count + place: note for place, note in part.notes.items()})
            count += len(part)
        joined: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in _ARRAYS}
        return cls(
            **joined,
            board=parts[0].board,
            openings=Lines.joined([part.openings for part in parts]),
            moves=Lines.joined([part.moves for part in parts]),
            notes=notes,
            times_ms=np.concatenate([part.move_times_ms for part in parts]),
            busy_ms=np.concatenate([part.move_busy_ms for part in parts]) if has_busy else None,
        )

    def with_times(self) -> "GameBatch":
        """Return the games with a time for each move, so that parts of them have the same times."""
        return self if self.times_ms is not None else replace(self, times_ms=self.move_times_ms)

    def take(self, numbers: Numbers) -> "GameBatch":
        """Return some of the games, by place, in the given order."""
        moves = self.moves.places(numbers)
        taken: dict[str, Any] = {name: getattr(self, name)[numbers] for name in _OF_GAMES}
        taken |= {name: getattr(self, name)[moves] for name in _OF_MOVES}
        if self.times_ms is None:
            taken["seconds"] = tuple(np.bincount(self.move_seats[moves], self._seconds[moves], 2).tolist())
        return replace(
            self,
            **taken,
            openings=self.openings.take(numbers),
            moves=self.moves.take(numbers),
            notes={
                place: self.notes[number]
                for place, number in enumerate(numbers.tolist() if self.notes else ())
                if number in self.notes
            },
            times_ms=None if self.times_ms is None else self.times_ms[moves],
            busy_ms=None if self.busy_ms is None else self.busy_ms[moves],
        )

    # Reading games

    def __len__(self) -> int:
        return len(self.winners)

    def __iter__(self) -> Iterator[Game]:
        """Yield the games."""
        return self.games()

    def game(self, number: int) -> Game:
        """Return one game by its place in this batch."""
        return next(self.games(number, number + 1))

    def games(self, first: int = 0, end: int | None = None) -> Iterator[Game]:
        """Yield the games from `first` up to but not including `end`."""
        end = len(self) if end is None else min(end, len(self))
        times_ms, busy_ms = self.move_times_ms, self.busy_ms
        for start in range(first, end, _CREATED_AT_ONCE):
            yield from self._created(start, min(start + _CREATED_AT_ONCE, end), times_ms, busy_ms)

    def _created(self, first: int, end: int, times_ms: Floats, busy_ms: Floats | None) -> Iterator[Game]:
        """Create games from lists, since single values of an array are slow to read."""
        own = slice(int(self.moves.starts[first]), int(self.moves.starts[end]))
        openings, moves = (lines.part(first, end).texts(self.board) for lines in (self.openings, self.moves))
        scores = decode_scores(self.scores[own], self.kinds[own])
        depths, nodes, times = (values[own].tolist() for values in (self.depths, self.nodes, times_ms))
        busy = times if busy_ms is None else busy_ms[own].tolist()
        columns = (self.encounters, self.pairs, self.legs, self.winners, self.reasons)
        plain = zip(*(column[first:end].tolist() for column in columns), strict=True)
        start = 0
        for number, (encounter, pair, leg, winner, reason) in enumerate(plain, first):
            line = next(moves)
            stop = start + len(line)
            times_of_game = times[start:stop]
            player, other = self.players[number].tolist()
            yield Game(
                encounter=encounter,
                pair=pair,
                leg=leg,
                players=(player, other),
                opening=next(openings),
                moves=line,
                winner=_PLAYERS[winner],
                reason=REASONS[reason],
                note=self.notes.get(number, ""),
                scores=scores[start:stop],
                depths=depths[start:stop],
                nodes=nodes[start:stop],
                times_ms=times_of_game,
                busy_ms=times_of_game if busy_ms is None else busy[start:stop],
            )
            start = stop

    # Columns that follow from others

    @property
    def move_times_ms(self) -> Floats:
        """The time on the clock of each move.

        If only the times of all games are known, each move gets a share of its agent's time in proportion to its nodes
        plus one, rounded like a measured time to thousandths of a millisecond.
        """
        if self.times_ms is not None:
            return self.times_ms
        return np.round(1000.0 * self._seconds, 3).astype(np.float64)

    @property
    def _seconds(self) -> Floats:
        """Each move's share of its agent's time."""
        weights, seats = np.maximum(self.nodes, 0) + 1.0, self.move_seats
        totals = np.bincount(seats, weights, 2)
        rates: Floats = np.array(self.seconds) / np.where(totals > 0, totals, 1.0)
        return weights * rates[seats]

    @property
    def move_busy_ms(self) -> Floats:
        """The time at work of each move."""
        return self.move_times_ms if self.busy_ms is None else self.busy_ms

    @property
    def move_games(self) -> Numbers:
        """The place in this batch of each move's game."""
        return np.repeat(np.arange(len(self), dtype=np.int64), self.moves.lengths)

    @property
    def move_plies(self) -> Numbers:
        """The place of each move in its game, from 0, with the opening's moves counted."""
        shifts = self.openings.lengths - self.moves.starts[:-1]
        return np.arange(self.moves.squares.size) + np.repeat(shifts, self.moves.lengths)

    @property
    def move_seats(self) -> Numbers:
        """Which of the encounter's agents made each move: 0 for the first, 1 for the second."""
        return self.legs[self.move_games] ^ self.move_plies % 2

    @property
    def move_players(self) -> Numbers:
        """The player who made each move, as an index into the plan's players."""
        return self.players[self.move_games, self.move_plies % 2].astype(np.int64)

    @property
    def winning_players(self) -> NDArray[np.int32]:
        """Each game's winner, as an index into the plan's players."""
        return self.players[np.arange(len(self)), self.winners]

    @property
    def losing_players(self) -> NDArray[np.int32]:
        """Each game's loser, as an index into the plan's players."""
        return self.players[np.arange(len(self)), 1 - self.winners]

    @property
    def lengths(self) -> Numbers:
        """Each game's number of moves, including the opening."""
        return self.openings.lengths + self.moves.lengths

    @property
    def is_proven(self) -> NDArray[np.bool_]:
        """Whether the score of each move is a proven result."""
        return self.kinds >= WIN

    def digest(self) -> str:
        """Return a digest of what does not depend on the machine that played the games.

        Times and notes depend on the machine.
        """
        found = sha256(repr((str(self.board), len(self))).encode())
        for name in ("encounters", "pairs", "legs", "winners", "reasons", *_SAME_ON_ALL_MACHINES):
            found.update(getattr(self, name).tobytes())
        found.update(self.moves.starts.tobytes() + self.moves.squares.tobytes())
        return found.hexdigest()


_PLAYERS: Final = tuple(Player)
_CREATED_AT_ONCE: Final = 1024
"""The number of games whose columns are converted to lists at a time."""
_SAME_ON_ALL_MACHINES: Final = ("scores", "kinds", "depths", "nodes")
_OF_GAMES: Final = ("encounters", "pairs", "legs", "players", "winners", "reasons")
_OF_MOVES: Final = ("scores", "kinds", "depths", "nodes")
_ARRAYS: Final = (*_OF_GAMES, *_OF_MOVES)


def _check_numbers(game: Game) -> None:
    numbers = (game.encounter, game.pair, *game.players)
    if not all(type(number) is int and abs(number) < -_LEAST_NUMBER for number in numbers):
        raise ValueError("a game with an encounter, a pair or players that no plan has")
    if len(game.players) != 2 or game.leg not in (0, 1):
        raise ValueError(f"a game {game.encounter}, {game.pair}, {game.leg} that no plan has")


def _lines(board: Board, lines: Sequence[Sequence[str]]) -> Lines:
    try:
        return Lines.of_texts(board, lines)
    except KeyError:
        known = set(square_names(board))
        wrong = next(line for line in lines if not known.issuperset(line))
        raise ValueError(f"moves that are against the rules: {' '.join(wrong)}") from None


# Scores


def encode_scores(values: Sequence[Score]) -> tuple[Floats, Codes]:
    """Return scores and their kinds as columns.

    Raises:
        ValueError: If a value is not a score of `Game.scores`.
    """
    scores, kinds = np.zeros(len(values)), np.zeros(len(values), dtype=np.uint8)
    bits = scores.view(np.int64)
    for place, value in enumerate(values):
        if type(value) is float:
            scores[place] = value
        elif value is None:
            kinds[place] = UNKNOWN
        elif type(value) is int:
            if abs(value) <= MOST_WHOLE:
                scores[place], kinds[place] = value, WHOLE
            else:
                bits[place], kinds[place] = value, LARGE
        elif isinstance(value, str):
            scores[place], kinds[place] = _encode_word(value)
        else:
            raise ValueError("a score that is neither a number nor a proven end")
    return scores, kinds


def _encode_word(text: str) -> tuple[float, int]:
    """Return the score and the kind of `inf`, `-inf`, `win`, `loss`, `win 5` or `loss 4`."""
    if text in ("inf", "-inf"):
        return float(text), NUMBER
    word, _, plies = text.partition(" ")
    return (float(plies) if plies else NO_PLIES), WIN if word == "win" else LOSS


def decode_scores(scores: Floats, kinds: Codes) -> list[Score]:
    """Return the scores of columns in the form of `Game.scores`."""
    values: list[Score] = scores.tolist()
    if not kinds.any() and np.isfinite(scores).all():
        return values
    bits = scores.view(np.int64)
    for place in np.flatnonzero((kinds != NUMBER) | np.isinf(scores)).tolist():
        values[place] = _decode_score(scores[place], int(kinds[place]), int(bits[place]))
    return values


def _decode_score(score: np.float64, kind: int, bits: int) -> Score:
    if kind >= WIN:
        word = "win" if kind == WIN else "loss"
        return word if score == NO_PLIES else f"{word} {int(score)}"
    if kind == NUMBER:
        return str(float(score))
    return None if kind == UNKNOWN else bits if kind == LARGE else int(score)
