"""Our rules are those of Fairy-Stockfish's variant joust, move for move."""

import random

import pyffish
import pytest

from isolarium.agents.engine_protocol import format_fen, read_joust_move, variant_of, write_variant
from isolarium.game.board import Board
from isolarium.game.notation import parse_position
from isolarium.game.position import Player, Position

GAMES = 40
"""A thousand are played by `python -m tools.proofs.joust_rules`."""
ITS_START = parse_position("8/8/8/4B3/3A4/8/8/8 a")


def play_both(start: Position, variant: str, chance: random.Random) -> int:
    """Play a random game by both rules, and see at every move that they agree; its moves."""
    position, fen, played = start, format_fen(start), list[str]()
    while True:
        theirs = pyffish.legal_moves(variant, fen, played)
        moves = {read_joust_move(text, position): text for text in theirs}
        assert len(moves) == len(theirs)
        assert set(moves) == set(position.legal_moves())
        outcome = position.outcome()
        if outcome is not None:
            break
        move = chance.choice(position.legal_moves())
        played.append(moves[move])
        position = position.play(move)
    rows, side = pyffish.get_fen(variant, fen, played).split()[:2]
    assert [rows, side] == format_fen(position).split()[:2]
    assert pyffish.game_result(variant, fen, played) < 0  # for who is to move
    assert outcome.loser == (Player.FIRST if side == "w" else Player.SECOND)
    return len(played)


def placed(board: Board, chance: random.Random) -> Position:
    first, second = chance.sample(board.squares, 2)
    return Position.empty(board).play(first).play(second)


def test_its_start_is_one_of_ours() -> None:
    assert format_fen(ITS_START) == pyffish.start_fen("joust")


def play_games(games: int, seed: int) -> int:
    """Play so many games of 8x8, half of them from its own start; their moves."""
    chance = random.Random(seed)
    starts = [ITS_START if game % 2 else placed(Board(8, 8), chance) for game in range(games)]
    return sum(play_both(start, "joust", chance) for start in starts)


@pytest.mark.slow
def test_games_of_eight_by_eight_are_the_same() -> None:
    assert play_games(GAMES, seed=1) > 20 * GAMES


@pytest.mark.parametrize("sides", [(3, 3), (4, 7), (7, 7), (9, 11), (10, 12), (10, 3)], ids=str)
def test_the_variants_of_other_boards_are_the_same_game(
    sides: tuple[int, int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    board, chance = Board(*sides), random.Random(2)
    path = write_variant(board, tmp_path_factory.mktemp("variants"))
    pyffish.load_variant_config(path.read_text(encoding="ascii"))
    for _ in range(5):
        play_both(placed(board, chance), variant_of(board), chance)
