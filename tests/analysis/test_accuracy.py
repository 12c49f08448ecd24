"""Marks and accuracy compared with brute force."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from csv import DictReader
from functools import cache
from multiprocessing import active_children
from pathlib import Path
from typing import Any, NoReturn

import pytest

import isolarium
from isolarium.analysis.accuracy import GameAccuracy, Mark, Marker
from isolarium.analysis.run_accuracy import AgentAccuracy, RunAccuracy, run_accuracy
from isolarium.arena import Conditions
from isolarium.arena.column_tables import GameTable
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.plan import match_plan
from isolarium.arena.results import read_results
from isolarium.arena.run_db import Record
from isolarium.cli.commands.runs import report
from isolarium.cli.run_output import play_and_show
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.game.position import Player, Position
from isolarium.game.record import GameRecord, format_game, read_game
from isolarium.limits import Limit
from isolarium.reporting.analysis_tables import accuracy_facts, accuracy_of_agent, game_lines, mark_text
from isolarium.reporting.run_report import write_report
from isolarium.stats import Pair
from tests.command import run_isolarium

pytestmark = pytest.mark.slow


@cache
def wins(position: Position) -> bool:
    """Return whether the player to move wins, by exhaustive search."""
    return any(not wins(position.play(move)) for move in position.legal_moves())


def random_game(board: Board, seed: int) -> GameRecord:
    chance, position, moves = random.Random(seed), Position.empty(board), []
    while position.outcome() is None:
        moves.append(chance.choice(position.legal_moves()))
        position = position.play(moves[-1])
    return GameRecord(Position.empty(board), tuple(moves))


@pytest.fixture(scope="module")
def marked_games() -> list[GameAccuracy]:
    marker = Marker()
    return [marker.mark(random_game(Board(4, 4), seed), first_ply=3) for seed in range(40)]


def test_every_mark_agrees_with_brute_force(marked_games: list[GameAccuracy]) -> None:
    seen = set()
    for marked in marked_games:
        positions = marked.game.positions()
        for one in marked.moves:
            before, after = positions[one.ply - 1], positions[one.ply]
            values = {move: not wins(before.play(move)) for move in before.legal_moves()}
            assert one.wins is any(values.values())
            assert one.decides == (len(set(values.values())) == 2)
            if len(values) == 1:
                expected = Mark.FORCED
            elif not one.wins:
                expected = Mark.LOST
            else:
                expected = Mark.MISTAKE if wins(after) else Mark.RIGHT
            assert one.mark is expected
            assert (one.keeps is not None) == (expected is Mark.MISTAKE)
            assert one.keeps is None or values[one.keeps]
            seen.add(expected)
    assert seen == {Mark.FORCED, Mark.LOST, Mark.MISTAKE, Mark.RIGHT}


def test_accuracy_counts_critical_moves(marked_games: list[GameAccuracy]) -> None:
    for marked in marked_games:
        for player in Player:
            own = [one for one in marked.moves if one.player == player and one.decides]
            mistakes = [one for one in own if one.mark is Mark.MISTAKE]
            assert marked.kept(player) == (len(own) - len(mistakes), len(own))
            assert marked.first_mistake(player) == (mistakes[0] if mistakes else None)


def test_who_wins_with_perfect_play_and_by_the_law(marked_games: list[GameAccuracy]) -> None:
    for marked in marked_games:
        start = marked.game.positions()[2]
        assert marked.theoretical_winner == (Player.FIRST if wins(start) else Player.SECOND)
        assert start.first is not None
        assert start.second is not None
        alike = (sum(start.first) - sum(start.second)) % 2 == 0
        assert marked.winner_by_law == (Player.FIRST if alike else Player.SECOND)


def test_the_winner_of_a_game_without_mistakes_is_the_favourite(marked_games: list[GameAccuracy]) -> None:
    for marked in marked_games:
        outcome = marked.game.outcome()
        mistakes = sum(one.mark is Mark.MISTAKE for one in marked.moves)
        assert outcome is not None
        assert (outcome.winner == marked.theoretical_winner) == (mistakes % 2 == 0)


def test_positions_not_solved_in_time_are_unknown() -> None:
    game = read_game("9x11: e5 f7 g6 d8")
    marked = Marker(Limit(nodes=100)).mark(game)
    assert {one.mark for one in marked.moves} == {Mark.UNKNOWN}
    assert marked.theoretical_winner is None
    assert "4 positions were not solved within the limit" in list(game_lines(marked))


def test_a_mirror_move_is_right_even_if_other_moves_are_unknown() -> None:
    marked = Marker(Limit(nodes=100)).mark(read_game("10x10: a1 j10 b3 i8"))
    mirrored = marked.moves[3]
    assert (mirrored.mark, mirrored.wins, mirrored.decides) == (Mark.RIGHT, True, None)
    assert mark_text(mirrored) == "right"
    assert marked.kept(Player.SECOND) == (0, 0)


def test_placements_on_a_solved_board_need_no_search() -> None:
    game = read_game("7x7: d4 b3 e6")
    marked = Marker().mark(game)
    assert [one.mark for one in marked.moves] == [Mark.LOST, Mark.MISTAKE, Mark.MISTAKE]
    assert marked.theoretical_winner is Player.SECOND
    law = "colour law after the placements: second wins"
    output = list(game_lines(marked))
    assert f"{law}, but first wins from this start" in output
    assert "perfect play from the empty board: second wins" in output
    usual = read_game("7x7: d4 d5 e6")
    marked = Marker().mark(usual)
    assert law in list(game_lines(marked))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    isolarium.match("greedy:improved", "random", board="4x5", pairs=8, workers=1, runs=runs)
    [folder] = runs.iterdir()
    return folder


def solve_again(record: Record, **how: Any) -> RunAccuracy:
    """Solve a run's sample without its stored marks."""
    with closing(Record(record.folder, writes=True)) as writing:
        writing.remove((), ["marks"])
    return run_accuracy(record, **how)


def refuse_to_solve(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise AssertionError("solved again")

    monkeypatch.setattr(Marker, "marks", refuse)
    monkeypatch.setattr(Marker, "reaches", refuse)


def test_a_finished_run_is_solved_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Record(run)) as record:
        first = solve_again(record)
        with monkeypatch.context() as patched:
            refuse_to_solve(patched)
            assert run_accuracy(record) == first
        assert run_accuracy(record, most_games=6).sampled == 6  # another sample is solved
    with closing(Record(run)) as record:
        assert run_accuracy(record) == first


def test_an_unfinished_run_stores_no_marks(tmp_path: Path) -> None:
    plan = match_plan("random", "random", Conditions(pairs=2, board="4x4"))
    with closing(Record.create(tmp_path / "run", plan)) as record:
        assert run_accuracy(record).sampled == 0
        assert record.json_fact("marks", None) is None


def test_a_run_that_cannot_be_written_is_solved(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Record(run)) as record:
        found = solve_again(record)
        with closing(Record(run, writes=True)) as writing:  # it holds the lock
            writing.remove((), ["marks"])
            assert run_accuracy(record) == found
        assert record.json_fact("marks", None) is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda kept: [],
        lambda kept: {**kept, "more": 1},
        lambda kept: {**kept, "marks": kept["marks"][1:]},
        lambda kept: {**kept, "marks": [5, *kept["marks"][1:]]},
        lambda kept: {**kept, "marks": [kept["marks"][0][1:], *kept["marks"][1:]]},
        lambda kept: {**kept, "marks": ["x" * len(kept["marks"][0]), *kept["marks"][1:]]},
        lambda kept: {**kept, "marks": ["F" * len(kept["marks"][0]), *kept["marks"][1:]]},
        lambda kept: {**kept, "marks": ["l" * len(kept["marks"][0]), *kept["marks"][1:]]},
    ],
    ids=["list", "extra", "missing", "number", "short", "letters", "forced", "contradiction"],
)
def test_marks_that_no_solver_found_are_damage(run: Path, spoil: Callable[[Any], Any]) -> None:
    with closing(Record(run)) as record:
        solve_again(record)
        with closing(Record(run, writes=True)) as writing:
            writing.set_fact("marks", json.dumps(spoil(record.json_fact("marks", None))))
        with pytest.raises(InputError, match=r"run\.sqlite"):
            run_accuracy(record)
        solve_again(record)


def test_marks_of_another_limit_are_solved_again(run: Path) -> None:
    with closing(Record(run)) as record:
        found = solve_again(record)
        stored = record.json_fact("marks", None)
        with closing(Record(run, writes=True)) as writing:
            writing.set_fact("marks", json.dumps({**stored, "limit": 1, "marks": []}))
        assert run_accuracy(record) == found
        assert record.json_fact("marks", None) == stored


def test_accuracy_counts_below_five_critical_positions() -> None:
    few = AgentAccuracy([Pair(0.0, 0)], chances=Counter({9: 1}), mistakes=Counter({9: 1}))
    none = AgentAccuracy()
    chances = Counter(range(5))
    five = AgentAccuracy([Pair(1.0, n) for n in range(5)], chances=chances)
    assert accuracy_of_agent(few) == "1 mistake in 1 critical position"
    assert accuracy_of_agent(none) == "no critical position"
    assert accuracy_of_agent(five).startswith("100% (")
    assert accuracy_of_agent(five).endswith(" of 5 critical positions")


def test_a_runs_figures_are_the_sums_of_its_games(run: Path) -> None:
    record, marker = Record(run), Marker()
    found = run_accuracy(record)
    assert found.sampled == found.solved == 16
    kept, chances, won, openings, upsets = [0, 0], [0, 0], [0, 0], [0, 0], 0
    flawless = [0, 0]
    for game in record.games():
        marked = marker.mark(game.record(record.board), first_ply=len(game.opening) + 1)
        assert marked.theoretical_winner is not None
        for player in Player:
            own = marked.kept(player)
            kept[game.players[player]] += own[0]
            chances[game.players[player]] += own[1]
        openings[game.players[marked.theoretical_winner]] += 1
        won[game.players[marked.theoretical_winner]] += game.winner == marked.theoretical_winner
        upsets += game.winner != marked.theoretical_winner
        own = marked.kept(marked.theoretical_winner)
        flawless[game.players[marked.theoretical_winner]] += own[0] == own[1]
    record.close()
    for agent, figures in enumerate(found.agents):
        assert figures.accuracy is not None
        assert figures.conversion is not None
        assert figures.accuracy.rate == pytest.approx(kept[agent] / chances[agent])
        assert figures.conversion.rate == pytest.approx(won[agent] / openings[agent])
        assert sum(figures.mistakes.values()) == chances[agent] - kept[agent]
        assert sum(figures.chances.values()) == chances[agent]
        assert all(figures.mistakes[ply] <= figures.chances[ply] for ply in figures.mistakes)
        least = figures.perfect_play_at_least
        assert least is not None
        assert least.rate == pytest.approx(1 - flawless[agent] / openings[agent] / 2)
        assert least.low < least.rate < least.high
        assert figures.accuracy.low < figures.accuracy.rate
    assert openings == [8, 8]
    assert sum(found.upsets.values()) == 8
    assert found.upsets[1] + 2 * found.upsets[2] == upsets


def test_a_sample_holds_whole_pairs_and_no_more_than_asked(run: Path) -> None:
    record = Record(run)
    found = run_accuracy(record, most_games=7)
    record.close()
    assert found.sampled == 6
    assert sum(found.upsets.values()) == 3


def test_two_processes_find_the_same(run: Path) -> None:
    with closing(Record(run)) as record:
        assert solve_again(record, workers=2) == solve_again(record, workers=1)


def test_killed_processes_do_not_change_the_result(tmp_path: Path) -> None:
    played = isolarium.match("random", "random", board="7x7", pairs=8, workers=1, runs=tmp_path)

    def kill_all(done: int, games: int) -> None:
        for child in active_children():
            child.kill()

    with closing(Record(played.folder)) as record:
        found = run_accuracy(record, workers=2, progress=kill_all)
        assert found == solve_again(record, workers=1)


def test_a_board_that_takes_too_long_is_not_measured(tmp_path: Path) -> None:
    isolarium.match("random", "random", board="9x11", pairs=2, workers=1, runs=tmp_path)
    [folder] = tmp_path.iterdir()
    record = Record(folder)
    found = run_accuracy(record)
    assert found.sampled == 0
    [fact] = accuracy_facts(found, read_results(record))
    assert fact.parts[0].startswith("not measured")
    assert fact.data["accuracy"]["per_agent"][0]["accuracy"] is None
    record.close()


def test_the_report_has_the_accuracy(run: Path, tmp_path: Path) -> None:
    record = Record(run)
    accuracy = run_accuracy(record)
    written = write_report(record, tmp_path, accuracy)
    record.close()
    page = written.page.read_text(encoding="utf-8")
    assert "Comparison with perfect play" in page
    assert f"one game of {accuracy.upsets[1]} and neither of {accuracy.upsets[2]}." in page
    assert str(accuracy.agents[0].accuracy) in page
    with (tmp_path / "tables" / "accuracy.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["agent"]: row for row in DictReader(file)}
    for label, agent in zip(("greedy:improved", "random"), accuracy.agents, strict=True):
        assert agent.conversion is not None
        assert float(rows[label]["converted"]) == pytest.approx(agent.conversion.rate, abs=1e-4)
        assert int(rows[label]["won_positions"]) == len(agent.positions)
    assert (tmp_path / "charts" / "mistakes.svg").is_file()


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[int, ...]]:
    """Count how often each game is decoded, by encounter, pair and leg."""
    counts = Counter[tuple[int, ...]]()

    batches = GameTable.batches

    def counting(*arguments: Any) -> Iterator[GameBatch]:
        for batch in batches(*arguments):
            places = (batch.encounters, batch.pairs, batch.legs)
            counts.update(zip(*(column.tolist() for column in places), strict=True))
            yield batch

    monkeypatch.setattr(GameTable, "batches", counting)
    return counts


ONCE = {(0, pair, leg): 1 for pair in range(8) for leg in (0, 1)}


def test_a_match_decodes_each_game_once(tmp_path: Path, decoded: Counter[tuple[int, ...]]) -> None:
    plan = match_plan("greedy:improved", "random", Conditions(pairs=8, board="4x5"))
    play_and_show(lambda: plan, "match", tmp_path, 1, None, as_json=True, accuracy=True)
    assert decoded == ONCE


@pytest.mark.parametrize("accuracy", [True, False])
def test_a_report_decodes_each_game_once(
    run: Path, tmp_path: Path, decoded: Counter[tuple[int, ...]], accuracy: bool
) -> None:
    report(str(run), tmp_path, workers=1, accuracy=accuracy, as_json=True)
    assert decoded == ONCE
    assert "Example games" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_report_from_python_decodes_each_game_once(
    run: Path, tmp_path: Path, decoded: Counter[tuple[int, ...]]
) -> None:
    played = isolarium.read_run(run)
    decoded.clear()
    page = played.report(tmp_path, workers=1)
    assert decoded == ONCE
    assert "Comparison with perfect play" in page.read_text(encoding="utf-8")


def test_a_sample_read_with_the_results_gives_the_same_accuracy(run: Path) -> None:
    with closing(Record(run)) as record:
        sample = read_results(record, sample=6).sample
        assert [(game.pair, game.leg) for game in sample] == [(pair, leg) for pair in (0, 2, 5) for leg in (0, 1)]
        assert solve_again(record, sample=sample) == solve_again(record, most_games=6)


def test_the_accuracy_line_of_a_match(run: Path) -> None:
    record = Record(run)
    [accuracy, *_] = accuracy_facts(run_accuracy(record), read_results(record))
    record.close()
    kept, solved, first = accuracy.parts
    assert re.fullmatch(r".+ of \d+ critical positions vs .+ of \d+ critical positions", kept)
    assert solved == "16 games solved"
    assert re.fullmatch(r"median first mistake at ply \S+ vs \S+", first)


def test_perfect_play_is_reported_unless_disabled(tmp_path: Path) -> None:
    match = ["match", "greedy:open", "random", "--board", "4x4", "--pairs", "4", "--workers", "1"]
    match += ["--runs", str(tmp_path)]
    shown = run_isolarium(*match, "--details").stdout
    assert "\naccuracy     " in shown
    assert "8 games solved" in shown
    assert "\ntheory       won openings converted: " in shown
    assert "accuracy" not in run_isolarium(*match, "--details", "--no-accuracy").stdout
    assert "\nperfect play scores at least " in shown
    output = json.loads(run_isolarium(*match, "--json").stdout)
    assert output["accuracy"]["games_solved"] == 8
    again = json.loads(run_isolarium("resume", "last", "--runs", str(tmp_path), "--json").stdout)
    assert again["accuracy"] == output["accuracy"]


def test_analyze_marks_every_move_of_a_game() -> None:
    text = format_game(random_game(Board(4, 4), seed=3))
    output = json.loads(run_isolarium("analyze", text, "--agent", "random", "--json").stdout)
    marked = Marker().mark(read_game(text))
    assert [move["mark"] for move in output["truth"]["moves"]] == [str(one.mark) for one in marked.moves]
    assert output["truth"]["perfect_play"] == str(marked.theoretical_winner)
    shown = run_isolarium("analyze", text, "--agent", "random").stdout
    assert shown.splitlines()[0].endswith("exact value")
    for line in game_lines(marked):
        assert line in shown
