"""Whole games in compiled code, between two built-in agents whose moves need no Python.

The kernel plays both games of a span of pairs, from the opening to the end. It calls the compiled
searches of both agents (`agents/compiled.py`) by address, so it is compiled once for each number of
words in a set of squares. `referee.play_game` is its reference: both play the same games.

A call ends after about `slice_ns` nanoseconds, also within a move, and the next call continues there.
HEAD is the address of an array of words:

    GAME, GAMES          the current game, and the number of games: two for each pair
    PLACE                the number of moves that agents have made in all games
    PLY                  the number of moves in the current game; 0 before its opening
    MOVER, OTHER, BLANK..   its position, by square number
    ASKED                the nodes that the current search may enter so far; 0 before its first call
    IS_PAUSED            whether the search continues with the same number of nodes
    SEEDS, +1            the seeds of the first and the second player in the current game
    SEED, FIRST_PAIR     the encounter's seed, and the number of the first pair
    TABLE                the address of the board's table (`game/tables.py`)
    CLOCK..              the clock's address, first argument, scale, and two words that it writes
    SEATS..              for each of the encounter's two agents, SEAT_WORDS words: a `Seat`, the
                         nanoseconds that the agent has taken, and the nodes by which its search
                         continues in about STEP_NS
"""

from math import inf
from typing import Any, Final

from numba import types

from isolarium.arena.game_batch import LOSS, NO_PLIES, NUMBER, UNKNOWN
from isolarium.arena.game_batch import WIN as WON
from isolarium.game.tables import SETS
from isolarium.game.view import targets
from isolarium.native.clock import now_ns
from isolarium.native.jit import kernel
from isolarium.native.memory import call_compiled, load_constant, load_float, load_word, store_float, store_word
from isolarium.native.squareset import count, is_empty, load_set, load_table_set, single, store_set
from isolarium.search import kernel_state as search
from isolarium.search.kernel_state import FINISHED, FINITE, PAUSED, PROVEN, WIN, stream_seed

WORDS: int = 0  # bound when compiled

GAME: Final = 0
GAMES: Final = 1
PLACE: Final = 2
PLY: Final = 3
MOVER: Final = 4
OTHER: Final = 5
BLANK: Final = 6
ASKED: Final = 9
IS_PAUSED: Final = 10
SEEDS: Final = 11
SEED: Final = 13
FIRST_PAIR: Final = 14
TABLE: Final = 15
CLOCK: Final = 16
CLOCK_WORDS: Final = CLOCK + 3
SEATS: Final = 21
SEAT_WORDS: Final = 7
HEAD_WORDS: Final = SEATS + 2 * SEAT_WORDS

# A seat
ADDRESS, INPUTS, STATE, QUOTA, HIDES_PLIES, TAKEN_NS, STEP = range(SEAT_WORDS)

STEP_NS: Final = 5_000_000
FIRST_STEP: Final = 64
"""Few, because a node may take long."""
LEAST_STEP: Final = 16
MOST_GROWTH: Final = 4

SIGNATURE: Final = types.int64(*[types.int64] * 11)


def play_games(
    head: int,
    slice_ns: int,
    openings: int,
    starts: int,
    moves: int,
    scores: int,
    kinds: int,
    depths: int,
    nodes: int,
    lengths: int,
    winners: int,
) -> int:
    """Continue the games of a span; return 1 if all of them are over, else 0.

    All arguments except `slice_ns` are addresses, and all arrays consist of words.

    Args:
        head: See above.
        slice_ns: The time after which to return.
        openings: The squares of the pairs' openings.
        starts: The place in `openings` where each pair's opening begins, and the end.
        moves: Receives the agents' moves.
        scores: Receives the score of each move, as a `GameBatch` holds it.
        kinds: Receives the kind of each score.
        depths: Receives the depth of each move's search.
        nodes: Receives its number of nodes.
        lengths: Receives the number of the agents' moves in each game.
        winners: Receives the winner of each game.
    """
    game, games = load_word(head, GAME), load_word(head, GAMES)
    table, place = load_word(head, TABLE), load_word(head, PLACE)
    clock, unit = load_word(head, CLOCK), load_word(head, CLOCK + 2)
    clock_name, clock_words = load_word(head, CLOCK + 1), head + 8 * CLOCK_WORDS
    began_ns = now_ns(clock, clock_name, clock_words, unit)
    time_ns = began_ns
    while game < games:
        leg = game & 1
        if load_word(head, PLY) == 0:
            begin_game(head, table, openings, starts, game, WORDS)
            store_word(lengths, game, 0)
        blank: Any = load_set(head, BLANK, WORDS)
        mover, ply = load_word(head, MOVER), load_word(head, PLY)
        player = ply & 1
        if is_empty(targets(table, blank, mover) & blank):
            store_word(winners, game, 1 - player)
            store_word(head, PLY, 0)
            game += 1
            store_word(head, GAME, game)
            continue
        seat = head + 8 * (SEATS + SEAT_WORDS * (player ^ leg))
        state = load_word(seat, STATE)
        asked, before = load_word(head, ASKED), 0
        if asked == 0:
            store_word(state, search.SEED, stream_seed(load_word(head, SEEDS + player), count(blank)))
            store_word(state, search.MOVER, mover)
            store_word(state, search.OTHER, load_word(head, OTHER))
            store_set(state, search.BLANK, blank)
            store_word(state, search.STARTED, 0)
        else:
            before = load_word(state, search.NODES)
        if load_word(head, IS_PAUSED) == 0:
            asked = min(load_word(seat, QUOTA), asked + load_word(seat, STEP))
        status: int = call_compiled(load_word(seat, ADDRESS), load_word(seat, INPUTS), asked)
        then_ns = now_ns(clock, clock_name, clock_words, unit)
        spent_ns, time_ns = then_ns - time_ns, then_ns
        store_word(seat, TAKEN_NS, load_word(seat, TAKEN_NS) + spent_ns)
        entered = load_word(state, search.NODES)
        if status == PAUSED or (status != FINISHED and asked < load_word(seat, QUOTA)):
            store_word(head, ASKED, asked)
            store_word(head, IS_PAUSED, status == PAUSED)
            fitting = (entered - before) * STEP_NS // max(spent_ns, 1)
            most = min(fitting, MOST_GROWTH * load_word(seat, STEP))
            store_word(seat, STEP, max(LEAST_STEP, most))
        else:
            move = load_word(state, search.PV)
            hides_plies = load_word(seat, HIDES_PLIES) != 0
            score, kind = recorded(load_float(state, search.SCORE), hides_plies)
            store_word(moves, place, move)
            store_word(depths, place, load_word(state, search.DEPTH))
            store_word(nodes, place, entered)
            store_float(scores, place, score)
            store_word(kinds, place, kind)
            place += 1
            store_word(lengths, game, load_word(lengths, game) + 1)
            store_word(head, PLACE, place)
            store_word(head, ASKED, 0)
            store_word(head, IS_PAUSED, 0)
            store_set(head, BLANK, blank - single(blank, move))
            store_word(head, MOVER, load_word(head, OTHER))
            store_word(head, OTHER, move)
            store_word(head, PLY, ply + 1)
        if time_ns - began_ns >= slice_ns:
            return 0
    return 1


@kernel
def begin_game(head: int, table: int, openings: int, starts: int, game: int, words: int) -> None:
    """Write the position after a game's opening, and the players' seeds."""
    pair, leg = game >> 1, game & 1
    first, end = load_word(starts, pair), load_word(starts, pair + 1)
    size = load_constant(table, 2)
    blank: Any = load_table_set(table, SETS, 4 + size, load_set(head, BLANK, words))
    for place in range(first, end):
        blank = blank - single(blank, load_word(openings, place))
    store_set(head, BLANK, blank)
    store_word(head, MOVER, load_word(openings, end - 2))
    store_word(head, OTHER, load_word(openings, end - 1))
    store_word(head, PLY, end - first)
    seed = stream_seed(load_word(head, SEED), load_word(head, FIRST_PAIR) + pair)
    for player in range(2):
        store_word(head, SEEDS + player, stream_seed(seed, 2 * leg + player))


@kernel
def recorded(score: float, hides_plies: bool) -> tuple[float, int]:
    """Return a search's score and its kind, in the form that a batch of games stores."""
    if score != score:
        return 0.0, UNKNOWN
    if abs(score) > PROVEN:
        return NO_PLIES if hides_plies else WIN - abs(score), WON if score > 0 else LOSS
    if abs(score) > FINITE:
        return inf if score > 0 else -inf, NUMBER
    return score, NUMBER
