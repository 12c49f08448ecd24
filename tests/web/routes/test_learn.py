"""Starts and puzzles are the truth."""

import pytest

from isolarium.game.notation import parse_board, parse_position
from isolarium.solver.puzzles import puzzles
from isolarium.solver.start_map import start_map
from tests.web.serving import Server
from tests.web.truth import wins

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("board", ["7x7", "4x3"])
def test_the_map_says_who_wins_every_start(server: Server, board: str) -> None:
    told = server.get(f"/api/starts/{board}").json()
    known, squares = start_map(parse_board(board)), parse_board(board).squares
    assert known is not None
    for first, line in zip(squares, told["map"], strict=True):
        for second, letter in zip(squares, line, strict=True):
            if first == second:
                assert letter == "-"
            else:
                assert letter == ("F" if known.first_wins(first, second) else "S")
    exceptions = {(one["first"], one["second"]): one["mirror"] for one in told["exceptions_at"]}
    for first in squares:
        for second in squares:
            if first != second:
                truth = known.start(first, second)
                assert exceptions.get((str(first), str(second))) == (
                    truth.mirror if truth.exception else None
                )
    assert (told["starts"], told["wins"]) == (known.starts, known.wins)


def test_a_board_that_is_not_solved_has_no_map(server: Server) -> None:
    assert server.get("/api/starts/13x13").status_code == 404
    assert server.get("/api/starts/7by7").status_code == 422


def test_a_puzzle_has_one_answer_and_tells_it(server: Server) -> None:
    puzzle = server.get("/api/puzzles/1").json()
    assert puzzle["line"] == [str(move) for move in puzzles()[0].line]
    position = parse_position(puzzle["position"])
    right = [move for move in position.legal_moves() if not wins(position.play(move))]
    assert len(right) == 1
    for move in position.legal_moves():
        answer = server.post("/api/puzzles/1", {"move": str(move)}).json()
        assert answer["right"] is (move == right[0])
        assert answer["answer"] == str(right[0])


def test_a_puzzle_of_several_moves_is_answered_move_by_move(server: Server) -> None:
    puzzle = next(one for one in puzzles() if len(one.moves) == 3)
    path = f"/api/puzzles/{puzzle.number}"
    assert server.get(path).json()["moves"] == 3
    replies = [*puzzle.line[1::2], None]
    for step, (move, reply) in enumerate(zip(puzzle.moves, replies, strict=True)):
        answer = server.post(path, {"move": str(move), "step": step}).json()
        assert answer["right"]
        assert answer["reply"] == (reply and str(reply))
    assert server.post(path, {"move": str(puzzle.moves[0]), "step": 3}).status_code == 422


def test_the_list_says_how_hard_each_is(server: Server) -> None:
    told = server.get("/api/puzzles").json()
    assert told["count"] == len(puzzles())
    assert told["difficulties"] == [puzzle.difficulty for puzzle in puzzles()]


def test_there_is_no_puzzle_beyond_the_last(server: Server) -> None:
    count = server.get("/api/agents").json()["puzzles"]
    assert server.get(f"/api/puzzles/{count}").status_code == 200
    for number in (0, count + 1, 10**30):
        assert server.get(f"/api/puzzles/{number}").status_code == 404


@pytest.mark.parametrize("move", [str(puzzles()[0].position.mover), "zz", "", "d4 d5"])
def test_a_move_that_is_none_is_refused(server: Server, move: str) -> None:
    assert server.post("/api/puzzles/1", {"move": move}).status_code == 422
