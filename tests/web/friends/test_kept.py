"""What is kept of matches: files that anybody may have damaged or planted, and how many there may be."""

import asyncio
import logging
import os
from pathlib import Path
from typing import Final
from zlib import crc32

import pytest

from isolarium.web import lobby as lobbies
from isolarium.web.friend_match import Action, Clock, Terms
from isolarium.web.http_errors import HttpError
from isolarium.web.lobby import MOST_IN_SEAT, LiveMatch, Lobby, Tokens, Visitor
from tests.web.in_process import run

TERMS: Final = Terms(board="5x5", opener_first=True)
TIMED: Final = Terms(board="5x5", opener_first=True, clock=Clock(start_s=60))
PLACEMENT: Final = Action(do="move", game=1, ply=0, move="c3")
RESIGNATION: Final = Action(do="resign", game=1, ply=0)


async def opened(folder: Path, terms: Terms = TERMS) -> tuple[Tokens, Path]:
    """A game in which the first knight was placed, by a server that has ended; and its file."""
    lobby = Lobby(folder)
    tokens = lobby.open(terms, "here")
    live_match = lobby.find(tokens.seat)[0]
    await live_match.act(0, PLACEMENT)
    lobby.close()
    return tokens, live_match.file.path


def sealed(text: str) -> bytes:
    return b"%08x %s\n" % (crc32(text.encode()), text.encode())


def moves_in(lobby: Lobby, token: str) -> list[str]:
    return [str(move) for move in lobby.find(token)[0].match.moves]


def test_a_line_that_was_cut_off_is_named_and_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def within() -> None:
        tokens, path = await opened(tmp_path)
        sound = path.read_bytes()
        path.write_bytes(torn := sound + b'12345678 {"kind":"mo')
        second = Lobby(tmp_path)
        with caplog.at_level(logging.WARNING):
            second.start()
        assert moves_in(second, tokens.friend) == ["c3"]
        assert path.read_bytes() == torn
        await second.find(tokens.friend)[0].act(1, Action(do="move", game=1, ply=1, move="a1"))
        assert path.read_bytes().startswith(sound)
        second.close()
        third = Lobby(tmp_path)
        third.start()
        assert moves_in(third, tokens.seat) == ["c3", "a1"]
        third.close()
        [said] = [record.getMessage() for record in caplog.records]
        assert "truncated last line" in said
        assert path.name in said

    run(within)


@pytest.mark.parametrize("end", [b"\x0b", b"", b" 12345678 {"])
def test_a_move_that_was_told_does_not_go_with_the_end_of_its_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, end: bytes
) -> None:
    async def within() -> None:
        tokens, path = await opened(tmp_path)
        path.write_bytes(damaged := path.read_bytes()[:-1] + end)
        second = Lobby(tmp_path)
        with caplog.at_level(logging.WARNING):
            second.start()
        with pytest.raises(HttpError, match="no such game"):
            second.find(tokens.seat)
        assert path.read_bytes() == damaged
        second.close()

    run(within)
    assert "the last line's checksum does not match" in caplog.text


def test_whatever_is_planted_there_the_others_are_played_and_nothing_is_changed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def within() -> None:
        folder, victim = tmp_path / "kept", tmp_path / "victim"
        tokens, good = await opened(folder, TIMED)
        whole = good.read_bytes()
        victim.write_text("no end of a line")
        (folder / "1-link.meeting").symlink_to(victim)
        os.mkfifo(folder / "2-pipe.meeting")
        (folder / "3-folder.meeting").mkdir()
        (folder / "4-\n\x1b[31mname.meeting").write_bytes(whole.replace(b'"c3"', b'"c4"'))
        (folder / "5-copy.meeting").write_bytes(whole)
        (folder / "6-no-lines.meeting").write_bytes(whole.replace(b"\n", b" "))
        (folder / "7-deep.meeting").write_bytes(sealed("[" * 100_000))
        (folder / "8-nothing.meeting").touch()
        before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        second = Lobby(folder)
        with caplog.at_level(logging.WARNING):
            second.start()
        assert moves_in(second, tokens.seat) == ["c3"]
        assert {path: path.read_bytes() for path in before} == before
        second.close()

    run(within)
    [said] = [record.getMessage() for record in caplog.records]
    assert said.isprintable()
    for number in range(1, 6):
        assert f"'{number}-" in said
    assert said.endswith("and 3 more")


@pytest.mark.parametrize("spent", ["9" * 400, "604800001", "60000", "-1"])
def test_no_file_says_that_more_time_was_spent_than_there_was(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, spent: str
) -> None:
    async def within() -> None:
        tokens, path = await opened(tmp_path, TIMED)
        lines = ['{"kind":"move","seat":1,"what":"a1"}', f'{{"kind":"move","seat":0,"what":"d5","spent_ms":{spent}}}']
        path.write_bytes(path.read_bytes() + b"".join(map(sealed, lines)))
        second = Lobby(tmp_path)
        with caplog.at_level(logging.WARNING):
            second.start()
        with pytest.raises(HttpError, match="no such game"):
            second.find(tokens.seat)
        second.close()

    run(within)
    assert "damaged friend matches" in caplog.text


def test_games_that_are_over_count_and_give_way_to_those_of_their_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobbies, "MOST_EACH", 3)
    monkeypatch.setattr(lobbies, "MOST", 5)

    async def within() -> None:
        lobby = Lobby(tmp_path)
        played = lobby.open(TERMS, "192.0.2.1")
        live_match = lobby.find(played.seat)[0]
        await live_match.act(0, PLACEMENT)
        await live_match.act(1, RESIGNATION)
        for _ in range(10):
            resigned = lobby.find(lobby.open(TERMS, "192.0.2.1").seat)[0]
            await resigned.act(0, RESIGNATION)
        assert len(list(tmp_path.glob("*.meeting"))) == 3
        assert lobby.find(played.seat)[0] is live_match  # those in which nobody moved went first
        for _ in range(3):
            lobby.open(TERMS, "192.0.2.1")
        with pytest.raises(HttpError, match="it was removed"):
            lobby.find(played.seat)
        kept = b"".join(path.read_bytes() for path in tmp_path.glob("*.meeting"))
        assert b"192.0.2.1" not in kept
        lobby.close()

        again = Lobby(tmp_path)
        again.start()
        with pytest.raises(HttpError, match="your address has 3 open games"):
            again.open(TERMS, "192.0.2.1")
        others = [again.find(again.open(TERMS, "192.0.2.2").seat)[0] for _ in range(2)]
        with pytest.raises(HttpError, match="it has 5 friend matches"):
            again.open(TERMS, "192.0.2.3")
        await others[0].act(0, RESIGNATION)
        line = await others[0].enter(0)
        with pytest.raises(HttpError, match="it has 5 friend matches"):  # somebody looks at it
            again.open(TERMS, "192.0.2.3")
        others[0].leave(line)
        again.open(TERMS, "192.0.2.3")
        again.close()

    run(within)


def test_many_who_come_at_once_are_no_more_than_may_come(tmp_path: Path) -> None:
    async def within() -> None:
        lobby = Lobby(tmp_path)
        live_match: LiveMatch = lobby.find(lobby.open(TERMS, "here").seat)[0]
        came = await asyncio.gather(*(live_match.enter(0) for _ in range(30)), return_exceptions=True)
        assert sum(isinstance(one, Visitor) for one in came) == MOST_IN_SEAT == len(live_match.visitors)
        assert live_match.file.path.read_bytes().count(b'"here"') == 1
        lobby.close()

    run(within)
