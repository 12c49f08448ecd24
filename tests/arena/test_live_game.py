"""The current game of a run is published in its folder."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from isolarium.arena import compiled_games, live_game
from isolarium.arena.compiled_games import play_compiled
from isolarium.arena.game_batch import GameBatch
from isolarium.arena.lines import Lines
from isolarium.arena.live_game import (
    LIVE_NAME,
    THINKING,
    LiveGame,
    publish_in,
    published,
    read_live,
    remove_live,
    slowest_move,
    thinking,
)
from isolarium.arena.referee import Batch, play_in_python
from isolarium.game.board import Board, Square

OTHERS = LiveGame("mcts", "random", ("a1",))
OPENINGS = Lines.of_texts(Board(5, 5), [("a1", "c3")])
BATCH = Batch(0, ("greedy:open", "random"), (0, 1), "5x5", 1, None, False, 0, OPENINGS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where this process tells of its games, however short."""
    monkeypatch.setattr(live_game, "SLOW_S", 0.0)
    monkeypatch.setattr(live_game, "_file", None)
    monkeypatch.setattr(live_game, "_notes", None)
    publish_in(tmp_path)
    return tmp_path


def test_a_game_is_published_move_by_move_until_it_ends(folder: Path) -> None:
    with published("greedy:open", "random", [Square(0, 0)]) as on_move:
        assert read_live(folder) is None
        on_move(Square(2, 1))
        assert read_live(folder) == LiveGame("greedy:open", "random", ("a1", "b3"))
        on_move(Square(4, 4))
        assert read_live(folder) == LiveGame("greedy:open", "random", ("a1", "b3", "e5"))
    assert list(folder.iterdir()) == []


def test_a_quick_game_is_not_published(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_game, "SLOW_S", 1e9)
    with published("greedy:open", "random", []) as on_move:
        on_move(Square(0, 0))
        assert list(folder.iterdir()) == []


@pytest.mark.parametrize("play", [play_compiled, lambda batch: play_in_python(batch)[0]])
def test_the_games_of_a_batch_are_published_as_they_are_played(
    play: Callable[[Batch], GameBatch], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output: list[LiveGame] = []

    def write(file: Path, game: LiveGame) -> bool:
        output.append(game)
        return True

    monkeypatch.setattr(live_game, "_write", write)
    monkeypatch.setattr(compiled_games, "SLICE_NS", 0)
    games = play(BATCH)
    for first, second, game in zip(BATCH.specs, BATCH.specs[::-1], games, strict=True):
        assert LiveGame(first, second, ("a1", "c3", *game.moves)) in output


def test_an_agent_that_thinks_for_long_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_game, "NOTICED_S", 0.0)
    assert slowest_move(folder) is None
    with thinking("agent:slow.py:slow"):
        found = slowest_move(folder)
        assert found is not None
        assert (found.spec, found.seconds < 600) == ("agent:slow.py:slow", True)
        monkeypatch.setattr(live_game, "NOTICED_S", 600.0)
        assert slowest_move(folder) is None
        monkeypatch.setattr(live_game, "NOTICED_S", 0.0)
    assert slowest_move(folder) is None
    (folder / f"{THINKING}.1").write_bytes(b"x")  # Not a note
    (folder / f"{THINKING}.2").symlink_to(folder / f"{THINKING}.{os.getpid()}")
    assert slowest_move(folder) is None
    remove_live(folder)
    assert list(folder.iterdir()) == []


def test_another_workers_game_stays_until_it_is_stale(folder: Path) -> None:
    file = folder / LIVE_NAME
    assert live_game._write(file, OTHERS)
    with published("greedy:open", "random", []) as on_move:
        on_move(Square(0, 0))
        assert read_live(folder) == OTHERS
        os.utime(file, (0, 0))
        on_move(Square(2, 1))
        assert read_live(folder) == LiveGame("greedy:open", "random", ("a1", "b3"))


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "[" * 9000, '{"a": "' + "x" * 99999, '{"first": "a"}'),
        *(
            '{"first": "a", "second": "b", "moves": "a1"}',
            '{"first": 1, "second": "", "moves": []}',
            '{"first": "\\ud800", "second": "b", "moves": []}',
        ),
    ],
)
def test_invalid_content_is_not_a_game(tmp_path: Path, text: str) -> None:
    (tmp_path / LIVE_NAME).write_text(text)
    assert read_live(tmp_path) is None


def test_what_is_no_file_is_no_game_and_nobody_waits_for_one(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text('{"first": "a", "second": "b", "moves": []}')
    file = tmp_path / LIVE_NAME
    file.symlink_to(tmp_path / "elsewhere")
    assert read_live(tmp_path) is None
    file.unlink()
    os.mkfifo(file)
    assert read_live(tmp_path) is None
