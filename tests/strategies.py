"""Boards, positions and games for property tests, all of them reached as a game would."""

from hypothesis import strategies as st

from isolarium.game import MAX_SIDE, MIN_SIDE, Board, GameRecord, Outcome, Player, Position, Reason
from isolarium.game.board import Square


def boards(max_side: int = MAX_SIDE) -> st.SearchStrategy[Board]:
    """Every board with sides up to `max_side`."""
    sides = st.integers(MIN_SIDE, max_side)
    return st.builds(Board, sides, sides)


@st.composite
def starts(draw: st.DrawFn, max_side: int = MAX_SIDE) -> Position:
    """Boards on which nobody is placed, half of them with some squares blocked."""
    board = draw(boards(max_side))
    if draw(st.booleans()):
        return Position.empty(board)
    blank = draw(st.integers(0, board.full))
    return Position(board, blank, None, None, Player.FIRST)


@st.composite
def games(draw: st.DrawFn, max_side: int = MAX_SIDE) -> GameRecord:
    """Games by random play, finished or not, from an empty board or from the middle of a game."""
    start = draw(starts(max_side))
    played: list[Square] = []
    position = start
    length = draw(st.integers(0, 60))
    choice_lists = st.lists(st.integers(0, start.board.size), min_size=length, max_size=length)
    for choice in draw(choice_lists):
        moves = position.legal_moves()
        if not moves:
            break
        played.append(moves[choice % len(moves)])
        position = position.play(played[-1])
    skipped = draw(st.integers(0, len(played)) | st.just(0))
    for square in played[:skipped]:
        start = start.play(square)
    return GameRecord(start, tuple(played[skipped:]))


@st.composite
def ended_games(draw: st.DrawFn) -> GameRecord:
    """Games as `games` gives them, those that go on sometimes ended early."""
    game = draw(games())
    early = st.builds(
        Outcome,
        st.sampled_from(Player),
        st.sampled_from([reason for reason in Reason if reason is not Reason.NO_MOVES]),
    )
    if game.outcome() is None:
        return GameRecord(game.start, game.moves, draw(st.none() | early))
    return game


def positions(max_side: int = MAX_SIDE) -> st.SearchStrategy[Position]:
    """Positions reached by random play, from nobody placed to the game over."""
    return games(max_side).map(lambda game: game.position)
