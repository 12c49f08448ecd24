"""Our rules are those of Fairy-Stockfish's variant joust, move for move."""

import random

import pyffish
import pytest

from isolab.agents.joust import format_fen, read_move, variant_of, write_variant
from isolab.game.board import Board
from isolab.game.notation import parse_position
from isolab.game.outcome import Player
from isolab.game.position import Position

GAMES = 1_000
ITS_START = parse_position("8/8/8/4B3/3A4/8/8/8 a")


def play_both(start: Position, variant: str, chance: random.Random) -> int:
    """Play a random game by both rules, and see at every move that they agree; its moves."""
    position, fen, plies = start, format_fen(start), 0
    while True:
        theirs = pyffish.legal_moves(variant, fen, [])
        moves = {read_move(text, position): text for text in theirs}
        assert len(moves) == len(theirs)
        assert set(moves) == set(position.legal_moves())
        if position.outcome() is not None:
            break
        move = chance.choice(position.legal_moves())
        fen = pyffish.get_fen(variant, fen, [moves[move]])
        position, plies = position.play(move), plies + 1
        assert fen.split()[:2] == format_fen(position).split()[:2]
    outcome = position.outcome()
    assert outcome is not None
    assert pyffish.game_result(variant, fen, []) < 0  # for who is to move
    assert outcome.loser == (Player.FIRST if fen.split()[1] == "w" else Player.SECOND)
    return plies


def placed(board: Board, chance: random.Random) -> Position:
    first, second = chance.sample(board.squares, 2)
    return Position.empty(board).play(first).play(second)


@pytest.mark.slow
def test_a_thousand_games_of_eight_by_eight_are_the_same() -> None:
    chance = random.Random(1)
    starts = [ITS_START if game % 2 else placed(Board(8, 8), chance) for game in range(GAMES)]
    assert format_fen(ITS_START) == pyffish.start_fen("joust")
    assert sum(play_both(start, "joust", chance) for start in starts) > 20 * GAMES


@pytest.mark.parametrize("sides", [(3, 3), (4, 7), (7, 7), (9, 11), (10, 12), (10, 3)], ids=str)
def test_the_variants_of_other_boards_are_the_same_game(
    sides: tuple[int, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    board, chance = Board(*sides), random.Random(2)
    path = write_variant(board, tmp_path_factory.mktemp("variants"))
    pyffish.load_variant_config(path.read_text(encoding="ascii"))
    for _ in range(10):
        play_both(placed(board, chance), variant_of(board), chance)
