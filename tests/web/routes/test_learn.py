"""Starts and puzzles are the truth, and the moves in practice are those of the runs."""

from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from isolarium.arena.openings import position_after
from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.game.board import parse_board, parse_square
from isolarium.game.notation import parse_position
from isolarium.game.symmetry import canonical
from isolarium.solver.puzzles import puzzles
from isolarium.solver.start_map import start_map
from isolarium.web.jobs.practice import explore, trickiest
from tests.playing import Careful, Wanderer, play_run_here
from tests.web.serving import Server
from tests.web.truth import wins

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("board", ["7x7", "4x3"])
def test_the_map_says_who_wins_every_start(server: Server, board: str) -> None:
    output = server.get(f"/api/starts/{board}").json()
    known, squares = start_map(parse_board(board)), parse_board(board).squares
    assert known is not None
    for first, line in zip(squares, output["map"], strict=True):
        for second, letter in zip(squares, line, strict=True):
            if first == second:
                assert letter == "-"
            else:
                assert letter == ("F" if known.first_wins(first, second) else "S")
    exceptions = {(one["first"], one["second"]): one["mirror"] for one in output["exceptions_at"]}
    for first in squares:
        for second in squares:
            if first != second:
                truth = known.start(first, second)
                assert exceptions.get((str(first), str(second))) == (truth.mirror if truth.exception else None)
    assert (output["starts"], output["wins"]) == (known.starts, known.wins)


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
    output = server.get("/api/puzzles").json()
    assert output["count"] == len(puzzles())
    assert output["difficulties"] == [puzzle.difficulty for puzzle in puzzles()]


def test_there_is_no_puzzle_beyond_the_last(server: Server) -> None:
    count = server.get("/api/agents").json()["puzzles"]
    assert server.get(f"/api/puzzles/{count}").status_code == 200
    for number in (0, count + 1, 10**30):
        assert server.get(f"/api/puzzles/{number}").status_code == 404


@pytest.mark.parametrize("move", [str(puzzles()[0].position.mover), "zz", "", "d4 d5"])
def test_a_move_that_is_none_is_refused(server: Server, move: str) -> None:
    assert server.post("/api/puzzles/1", {"move": move}).status_code == 422


def test_moves_in_practice_are_counted_up_to_symmetry(tmp_path: Path) -> None:
    agents = ("greedy:open", "greedy:improved", "random")
    plan = Plan(Format.ROUND_ROBIN, agents, board="4x5", pairs=40)
    folder = play_run_here(tmp_path / "run", plan, [Careful(), Careful(), Wanderer()])
    with closing(Record(folder)) as record:
        games = list(record.games())
        lines = [[parse_square(text, record.board) for text in game.line] for game in games]
        positions = [game.positions(record.board) for game in games]
    game = max(positions, key=len)
    target = canonical(game[4])[0]
    counts = Counter(
        str(canonical(turned[5])[0]) for turned in positions if len(turned) > 5 and canonical(turned[4])[0] == target
    )
    text = f"4x5: {' '.join(map(str, lines[positions.index(game)][:4]))}"
    found = explore({"runs": str(tmp_path), "game": text}, lambda: False)
    chosen = Counter[str]()
    for one in found["agents"]:
        for move, times in one["moves"].items():
            after = game[4].play(parse_square(move, game[4].board))
            chosen[str(canonical(after)[0])] += times
    assert chosen == counts
    assert found["games"] == counts.total() > 0


def test_the_trickiest_starts_are_those_given_away(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("greedy:open", "random"), board="3x3", pairs=60)
    folder = play_run_here(tmp_path / "run", plan, [Careful(), Wanderer()])
    with closing(Record(folder)) as record:
        games = [(game.positions(record.board)[2], game.winner) for game in record.games()]
    output = trickiest({"runs": str(tmp_path), "board": "3x3"}, lambda: False)
    assert output["games"] == len(games) == 120
    assert output["starts"]
    for one in output["starts"]:
        board = parse_board("3x3")
        placed = (parse_square(one[name], board) for name in ("first", "second"))
        start = canonical(position_after(board, placed))[0]
        here = [winner for position, winner in games if canonical(position)[0] == start]
        winner = start.to_move if wins(start) else start.to_move.other
        assert (one["winner"], one["games"]) == (str(winner), len(here))
        assert one["lost"] == sum(other != winner for other in here) > 0
