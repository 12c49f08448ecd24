"""Checks of minimax and alpha-beta: they find a best move, and alpha-beta prunes.

The reference is a plain minimax with the agent's own score function. Where a game ends before the depth is reached, a
search may call the score function or value the win as infinite: both are correct.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from functools import cache
from math import inf
from typing import Final

from isolarium.agents import AgentFailure
from isolarium.course.course_agent import CourseFile, CoursePlayer, CourseScore, SearchResult
from isolarium.course.grading.check import Check, failure_text, first_can_move, sample, skip
from isolarium.course.grading.score_checks import is_close
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position

DEPTHS: Final = (1, 2, 3)
SEARCH_TOPICS: Final = ("minimax", "alphabeta", "cuts")
POSITIONS: Final = 10
LATE: Final = 24
"""The most blank squares (on 7x7) in half of the positions.

Games then end within the depth."""
QUESTIONS: Final = {
    "minimax": "does it choose a best move at depth 1, 2 and 3?",
    "alphabeta": "does it agree with minimax at depth 1, 2 and 3?",
}
MOST_LEAVES: Final = 400
"""The maximum number of positions below a tested position at full depth."""


def check_search(
    file: CourseFile, whose: str, method: str, arguments: Mapping[str, str], is_reliable: bool, board: Board, seed: int
) -> list[Check]:
    """Check a class's search to fixed depths.

    The checks are skipped if the score function is not reliable.
    """
    name = f"{whose}.{method}"
    best = Check(
        method,
        name,
        QUESTIONS[method],
        f"{method}(game, depth) must return the move with the best value when every line of that many moves is "
        "searched: the player's own moves take the highest value, and the opponent's the lowest. Check what happens at "
        "depth 0, whose turn each level is, and, with alpha-beta, that bounds are passed down and compared correctly.",
        "search",
    )
    cuts = Check(
        "cuts",
        name,
        "does it visit fewer positions than minimax?",
        "Leave the loop over moves as soon as the value is beyond the other player's bound.",
        "search",
    )
    checks = [best, cuts] if method == "alphabeta" else [best]
    if "score_fn" not in arguments:
        return skip(checks, "there is no custom_score to search with")
    if not is_reliable:
        return skip(checks, f"{arguments['score_fn']} is not reliable")
    with closing(file.score(arguments["score_fn"])) as score, closing(file.player(whose, arguments)) as player:
        _check(best, cuts, _Reference(score, seed), player, method, board, seed)
    if cuts.wrong < cuts.tried:  # A single search without a cutoff proves nothing.
        cuts.wrong = 0
    return checks


class _Reference:
    """A plain minimax with an agent's score function."""

    def __init__(self, score: CourseScore, seed: int) -> None:
        self._score = cache(score.value)
        score.begin(seed)

    def best(self, position: Position, depth: int) -> tuple[set[Square], dict[Square, float]]:
        """Return the best moves by either convention, and the value of every move."""
        found = set[Square]()
        for by_score in (False, True):
            values = {move: self._value(position.play(move), depth - 1, by_score) for move in position.legal_moves()}
            most = max(values.values())
            found |= {move for move, value in values.items() if is_close(value, most)}
        return found, values

    def _value(self, position: Position, depth: int, by_score: bool) -> float:
        moves = position.legal_moves()
        if not moves and not by_score:
            return -inf if position.to_move is Player.FIRST else inf
        if depth == 0 or not moves:
            return self._score(position)
        choose = max if position.to_move is Player.FIRST else min
        return choose(self._value(position.play(move), depth - 1, by_score) for move in moves)


def _check(
    best: Check, cuts: Check, reference: _Reference, player: CoursePlayer, method: str, board: Board, seed: int
) -> None:
    for position, depth in best.each(_questions(board, seed)):
        try:
            right, values = reference.best(position, depth)
        except AgentFailure as failure:
            best.skipped = cuts.skipped = f"the score function fails: {failure}"
            return
        try:
            found = player.search(position, method, depth, seed)
        except AgentFailure as failure:
            best.fail(position, f"depth {depth}: {failure_text(failure, best.whose.split('.')[0])}")
            continue
        _judge(best, position, depth, found, right, values)
        if depth == DEPTHS[-1]:
            cuts.tried += 1
            cuts.wrong += found.calls >= _below(position, depth)


def _questions(board: Board, seed: int) -> Iterator[tuple[Position, int]]:
    half = POSITIONS // 2
    positions = sample(board, f"{seed} searches", _is_small, POSITIONS - half)
    positions += sample(board, f"{seed} late searches", _is_late, half)
    for position in positions:
        for depth in DEPTHS:
            yield position, depth


def _is_small(position: Position) -> bool:
    return first_can_move(position) and len(position.legal_moves()) > 1 and _is_few(position)


def _is_late(position: Position) -> bool:
    return position.blank_count <= LATE * position.board.size // 49 and _is_small(position)


def _is_few(position: Position) -> bool:
    return _below(position, DEPTHS[-1]) <= MOST_LEAVES


def _below(position: Position, depth: int) -> int:
    """Return the number of positions below a position, down to a depth."""
    if depth == 0:
        return 0
    return sum(1 + _below(position.play(move), depth - 1) for move in position.legal_moves())


def _judge(
    check: Check,
    position: Position,
    depth: int,
    found: SearchResult,
    right: set[Square],
    values: Mapping[Square, float],
) -> None:
    if found.move is None:
        if max(values.values()) > -inf:  # A separate check covers resigning when every move loses.
            check.fail(position, f"depth {depth}: it found no move; {_best_in_words(values)}")
        return
    move = Square(*found.move)
    if move in right:
        return
    chosen = f"{move}, worth {values[move]:g}" if move in values else f"{tuple(found.move)}, which is not legal"
    check.fail(position, f"depth {depth}: it chose {chosen}; {_best_in_words(values)}")


def _best_in_words(values: Mapping[Square, float]) -> str:
    most = max(values.values())
    best = [str(move) for move, value in values.items() if is_close(value, most)]
    return f"best is {' or '.join(best)}, worth {most:g}"
