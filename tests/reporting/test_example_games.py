"""Example games: moves 10, 20, 30 and the end, with the mover's score."""

from contextlib import closing
from pathlib import Path
from xml.etree import ElementTree

import pytest

from isolarium.analysis.run_statistics import overview_of
from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_db import Record
from isolarium.game.record import parse_game
from isolarium.reporting.model import Example
from isolarium.reporting.run_report import examples, score_suffix
from tests.playing import Careful, Wanderer, play_run_here


def examples_of(folder: Path) -> list[Example]:
    with closing(Record(folder)) as record:
        return examples(overview_of(record))


def test_a_match_shows_both_games_of_its_first_pair(match_run: Path) -> None:
    shown = examples_of(match_run)
    assert [example.title for example in shown] == [
        "● greedy:open  vs  ■ random",
        "● random  vs  ■ greedy:open",
    ]
    first, second = (parse_game(example.text).moves[:2] for example in shown)
    assert first == second


def test_moments_are_10_20_30_and_the_end(match_run: Path) -> None:
    for example in examples_of(match_run):
        game = parse_game(example.text)
        length = len(game.moves)
        wanted = [f"Move {number}" for number in (10, 20, 30) if number < length]
        assert [moment.title for moment in example.moments] == [*wanted, f"End, move {length}"]
        assert game.outcome() is not None


def test_captions_say_who_went_where_and_the_score(match_run: Path) -> None:
    for example in examples_of(match_run):
        game = parse_game(example.text)
        for moment in example.moments:
            number = int(moment.title.split()[-1])
            sign = "●■"[(number - 1) % 2]
            assert moment.caption == f"{sign} to {game.moves[number - 1]}, score +1.5"
            ElementTree.fromstring(moment.svg)


def test_a_tournament_shows_the_best_that_are_under_test(tournament_run: Path) -> None:
    titles = [example.title for example in examples_of(tournament_run)]
    assert len(titles) == 2
    assert {title.split()[1] for title in titles} == {"greedy:open", "greedy:center"}


def test_a_short_game_shows_its_end_alone(tmp_path: Path) -> None:
    plan = Plan(Format.MATCH, ("random", "greedy:open"), board="3x3", pairs=1)
    for example in examples_of(play_run_here(tmp_path, plan, [Wanderer(), Careful()])):
        [end] = example.moments
        assert end.title.startswith("End, move ")
        assert "wins: " in example.result


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (None, ""),
        (0.0, ", score 0"),
        (-3.5, ", score -3.5"),
        ("inf", ", score +inf"),
        ("win 5", ", sees a win in 5"),
        ("loss", ", sees a loss"),
    ],
)
def test_scores_in_words(score: float | str | None, words: str) -> None:
    assert score_suffix(score) == words
