"""Checks of agents: of their score functions, their searches and their moves.

A score returns numbers, is symmetric, and recognizes finished games. Minimax and alpha-beta find a
best move, and alpha-beta prunes; the reference is a plain minimax with the agent's own score
function. Where a game ends before the depth is reached, a search may call the score function or
value the win as infinite: both are correct. An agent stops in time, takes wins and does not resign.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from functools import cache, partial
from math import inf, isclose, isnan
from typing import Final

from isolarium.agents import Agent, AgentFailure, parse_agent
from isolarium.course.adapter import CLOCK_MS
from isolarium.course.check import (
    Check,
    failure_text,
    first_can_move,
    is_lost_by,
    loses_soon,
    sample,
    skip,
    wins_at_once_or_loses,
)
from isolarium.course.course_agent import CourseFile, CoursePlayer, CourseScore, SearchResult
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position, Reason
from isolarium.game.symmetry import Symmetry

# Scores

SCORE_TOPICS: Final = ("number", "mirror", "end")
SCORED: Final = 40
ENDS: Final = 10
"""The number of lost games; the number of won games is the same."""
ENDINGS: Final = [
    (loser, word, partial(is_lost_by, loser)) for loser, word in ((Player.FIRST, "lost"), (Player.SECOND, "won"))
]
CLOSE: Final = 1e-9
"""The tolerance for sums of the same numbers in a different order."""
TIMES_SORTED: Final = 3
"""The number of further calls of a varying score, with the moves in a fixed order."""

SYMMETRIES: Final = {
    Symmetry.TOP_BOTTOM: "flipped top to bottom",
    Symmetry.LEFT_RIGHT: "flipped left to right",
    Symmetry.HALF_TURN: "rotated by 180 degrees",
    Symmetry.DIAGONAL: "mirrored in the diagonal",
    Symmetry.ANTIDIAGONAL: "mirrored in the other diagonal",
    Symmetry.TURN_LEFT: "rotated to the left",
    Symmetry.TURN_RIGHT: "rotated to the right",
}


def check_score(file: CourseFile, name: str, board: Board, seed: int) -> list[Check]:
    """Check a score function on random positions."""
    number = Check(
        "number",
        name,
        "does it return a number, and the same one when called again?",
        "Return a float for every position in which both players are placed, and let it depend on the position alone: "
        "a search compares the scores of thousands of positions.",
    )
    mirror = Check(
        "mirror",
        name,
        "does it return the same for every reflection and rotation of the board?",
        "The game is symmetric, so the score should be too. Distances from the centre are the usual cause: the centre "
        "of a 7x7 board is at row 3 and column 3, (height - 1) / 2, not at height / 2.",
    )
    end = Check(
        "end",
        name,
        "does it value lost games below all others, and won games above?",
        "Begin with: if game.is_loser(player): return float('-inf'), and the same with is_winner and inf. A search "
        "that asks game.utility(player) before it calls the score does not need this.",
    )
    with closing(file.score(name)) as score:
        positions = sample(board, f"{seed} scores", first_can_move, SCORED)
        values = _check_numbers(number, score, positions, seed)
        if number.wrong:
            mirror.skipped = end.skipped = "its values cannot be compared"
        else:
            _check_symmetry(mirror, score, positions, values)
            _check_ends(end, score, board, values, seed)
    return [number, mirror, end]


def _check_numbers(check: Check, score: CourseScore, positions: Sequence[Position], seed: int) -> list[float]:
    values = list[float]()
    for position in check.each(positions):
        try:
            if not values:
                score.begin(seed)
            value, again = score.value(position), score.value(position)
        except AgentFailure as failure:
            check.fail(position, failure_text(failure, check.whose))
            continue
        values.append(value)
        if isnan(value):
            check.fail(position, "it returned nan, which is not a number")
        elif not is_close(value, again):
            text = f"it returned {_different(value, again)} when called again"
            check.fail(position, text + _why_different(score, position))
    return values


def is_close(one: float, other: float) -> bool:
    """Return whether two values differ at most by rounding."""
    return isclose(one, other, rel_tol=CLOSE, abs_tol=CLOSE)


def _different(one: float, other: float) -> str:
    """Return two different numbers with just enough digits to distinguish them."""
    texts = [f"{one:g}", f"{other:g}"]
    return ", and ".join(texts if texts[0] != texts[1] else [repr(one), repr(other)])


def _why_different(score: CourseScore, position: Position) -> str:
    try:
        values = [score.value(position, is_sorted=True) for _ in range(TIMES_SORTED)]
    except AgentFailure:
        return ""
    if all(is_close(value, values[0]) for value in values):
        return "; it depends on the order of get_legal_moves(), which is random"
    return ""


def _check_symmetry(check: Check, score: CourseScore, positions: Sequence[Position], values: Sequence[float]) -> None:
    for position, value in check.each(zip(positions, values, strict=False)):
        for symmetry, transformed in SYMMETRIES.items():
            if symmetry.board(position.board) != position.board:
                continue
            try:
                other = score.value(symmetry.position(position))
            except AgentFailure as failure:
                check.fail(position, f"{transformed}: {failure_text(failure, check.whose)}")
                break
            if not is_close(value, other):
                check.fail(position, f"it returned {_different(value, other)} {transformed}")
                break


def _check_ends(check: Check, score: CourseScore, board: Board, values: Sequence[float], seed: int) -> None:
    for loser, word, is_end in ENDINGS:
        ends = sample(board, f"{seed} {word}", is_end, ENDS)
        for position in check.each(ends):
            try:
                value = score.value(position)
            except AgentFailure as failure:
                check.fail(position, failure_text(failure, check.whose))
                continue
            bound = min(values) if loser is Player.FIRST else max(values)
            is_wrong = value > bound if loser is Player.FIRST else value < bound
            if is_wrong and not is_close(value, bound):
                text = f"it returned {value:g} for a game that player 1 has {word}"
                check.fail(position, f"{text}, and {bound:g} for an unfinished one")


# Searches


DEPTHS: Final = (1, 2, 3)
SEARCH_TOPICS: Final = ("minimax", "alphabeta", "cuts")
SEARCHED: Final = 10
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
        _check_searches(best, cuts, _Reference(score, seed), player, method, board, seed)
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


def _check_searches(
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
        _judge_search(best, position, depth, found, right, values)
        if depth == DEPTHS[-1]:
            cuts.tried += 1
            cuts.wrong += found.calls >= _below(position, depth)


def _questions(board: Board, seed: int) -> Iterator[tuple[Position, int]]:
    half = SEARCHED // 2
    positions = sample(board, f"{seed} searches", _is_small, SEARCHED - half)
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


def _judge_search(
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


# Moves


MOVE_TOPICS: Final = ("win", "play on", "time")
ANSWERED: Final = 8
USUAL_CALLS: Final = 8000
"""The number of positions that the course's programs visit in 150 ms."""
EARLY: Final = 0.75
"""The share of blank squares in the time check's positions; many make it large."""
DEEP: Final = "25"
"""A search depth that is never reached."""


def check_moves(
    file: CourseFile, whose: str, class_name: str, arguments: Mapping[str, str], board: Board, seed: int
) -> list[Check]:
    """Check the moves of a class's agent.

    Whether it stops in time is judged by the course's clock, because a count of positions is too
    coarse for agents that stop in the last milliseconds.
    """
    checks = [_wins(whose), _plays_on(whose)]
    spec = f"{file.spec(class_name, arguments)}@calls={USUAL_CALLS}"
    winnable = sample(board, f"{seed} wins", wins_at_once_or_loses, ANSWERED)
    lost = sample(board, f"{seed} losses", loses_soon, ANSWERED)
    with closing(parse_agent(spec)) as agent:
        _check_answers(checks[0], agent, winnable, seed, _missed_win)
        _check_answers(checks[1], agent, lost, seed, _resigned)
    if file.is_later:  # The search is interrupted when time is up, without losing the game.
        return checks
    takes = file.contents.classes[class_name].takes
    deep = {**arguments, "search_depth": DEEP} if "search_depth" in takes else arguments
    in_time = _stops(whose)
    early = sample(board, f"{seed} time", _is_early, ANSWERED)
    hurried = f"{file.spec(class_name, deep)}@ms={CLOCK_MS:g}"
    with closing(parse_agent(hurried)) as agent:
        with suppress(AgentFailure):  # A real failure recurs in a move that counts.
            agent.prepare(early[0])
        _check_answers(in_time, agent, early, seed, _late)
    return [*checks, in_time]


def _is_early(position: Position) -> bool:
    return first_can_move(position) and position.blank_count >= EARLY * position.board.size


def _wins(whose: str) -> Check:
    return Check(
        "win",
        whose,
        "does it win when a move ends the game at once?",
        "A position in which the opponent cannot move is won, and must be worth more than all others: call "
        "game.utility(player), or is_winner and is_loser, before the score.",
    )


def _plays_on(whose: str) -> Check:
    return Check(
        "play on",
        whose,
        "does it play on while it has a legal move?",
        "Return one of game.get_legal_moves() while there is one. A search whose best move so far starts as (-1, -1) "
        "resigns when every move loses, because none is better than minus infinity: start with a legal move, since "
        "the opponent may still make a mistake.",
    )


def _stops(whose: str) -> Check:
    return Check(
        "time",
        whose,
        "does it stop when time_left() runs out?",
        "Check time_left() in every call of the search, not only between depths. Below a threshold, raise an "
        "exception that get_move catches.",
    )


Answer = Square | AgentFailure


def _check_answers(
    check: Check, agent: Agent, positions: Sequence[Position], seed: int, judge: Callable[[Position, Answer], str]
) -> None:
    """Have an agent move in each position.

    `judge` returns a description of what is wrong with the answer, or empty text.
    """
    for position in check.each(positions):
        answer = _answer(agent, position, seed)
        problem = judge(position, answer)
        if problem:
            check.fail(position, problem)
        elif isinstance(answer, AgentFailure) and answer.reason is not Reason.RESIGNATION:
            check.discount(failure_text(answer, agent.name))
    if not positions:
        check.skipped = "random games on this board have no such position"


def _answer(agent: Agent, position: Position, seed: int) -> Answer:
    try:
        agent.new_game(seed)
        return agent.choose(position).move
    except AgentFailure as failure:
        return failure


def _missed_win(position: Position, answer: Answer) -> str:
    winning = [str(m) for m in position.legal_moves() if position.play(m).outcome() is not None]
    ending = f"{' or '.join(winning)} ends the game"
    if isinstance(answer, AgentFailure):
        return f"it resigned; {ending}" if answer.reason is Reason.RESIGNATION else ""
    if not position.is_legal(answer):
        return f"it played {answer}, which is not legal; {ending}"
    if position.play(answer).outcome() is not None:
        return ""
    return f"it played {answer}, after which the opponent ends the game; {ending}"


def _resigned(position: Position, answer: Answer) -> str:
    moves = " or ".join(map(str, position.legal_moves()))
    if isinstance(answer, AgentFailure):
        is_resignation = answer.reason is Reason.RESIGNATION
        return f"it resigned; {moves} was legal" if is_resignation else ""
    if position.is_legal(answer):
        return ""
    return f"it played {answer}, which is not legal; {moves} was legal"


def _late(_: Position, answer: Answer) -> str:
    if isinstance(answer, AgentFailure) and answer.reason is Reason.TIME:
        return str(answer).rpartition(f"@ms={CLOCK_MS:g}: ")[2]
    return ""
