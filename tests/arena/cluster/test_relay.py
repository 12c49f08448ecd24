"""What the coordinator accepts from its relay, even one that an attacker controls."""

import pickle
from collections.abc import Iterator
from contextlib import closing, contextmanager
from math import inf

import pytest

from isolarium.arena.cluster import relay
from isolarium.arena.cluster.cluster_worker import Starts
from isolarium.arena.cluster.relay import Answered, Ask, Connected, Lost, Relay, Started, message_bytes
from isolarium.arena.cluster.remote_workers import ClusterWorkers
from isolarium.arena.local_workers import ClusterGone
from isolarium.game.board import Board
from isolarium.limits import Limit
from tests.arena.cluster.relay_doubles import end, prepare, send, stop_in_the_middle

pytestmark = pytest.mark.slow

KEY = f"isolarium-{0:032}"
ANSWERED = message_bytes(Answered(key=KEY))[:-1]


@contextmanager
def _relay(messages: bytes, patch: pytest.MonkeyPatch, double: object = send) -> Iterator[Relay]:
    """A relay that sends these messages once it is asked something."""
    patch.setattr(relay, "prepare", prepare)
    patch.setattr(relay, "run", double)
    patch.setattr(relay, "CLOSE_S", 0.5)
    with closing(Relay("tcp://there", messages.hex())) as started:
        yield started


def _ask(asked: Relay) -> None:
    asked.ask(Ask(KEY, "tcp://worker", print, (), most_bytes=10))


def _hear_all(asked: Relay) -> None:
    _ask(asked)
    while True:
        asked.receive(None)


def _hear_of_workers(asked: Relay) -> None:
    asked.list_workers()
    asked.receive(None)


def _play_on(workers: ClusterWorkers) -> None:
    while True:
        workers.poll(0.1)


def test_an_answer_has_its_bytes_whatever_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with _relay(ANSWERED + b"\n{}\n\x80", monkeypatch) as asked:
        _ask(asked)
        assert asked.receive(None) == (Answered(key=KEY), b"{}\n\x80")


@pytest.mark.parametrize(
    ("messages", "output"),
    [
        (b"", "Invalid JSON"),
        (b"{}\n", "unable to extract tag"),
        (b'{"kind": "other"}\n', "expected one of 'started', 'connected'"),
        (b'{"kind": "answered"}\n', "missing"),
        (b'{"kind": "answered", "key": "isolarium-1"}\n', "isolarium-1"),
        (b'{"kind": "gone", "more": 1}\n', "no key named 'more'"),
        (pickle.dumps(Started()), "Invalid JSON"),
        (b"[" * 100_000 + b"\n", "Invalid JSON"),
        (message_bytes(Lost(key=KEY), b"{}"), "an answer of 2 bytes; expected at most 0"),
        (ANSWERED + b"\n" + b"0" * 11, "an answer of 11 bytes; expected at most 10"),
        (ANSWERED + b"\n\0next\0" + ANSWERED + b"\n", "an answer to no request"),
        (b'{"kind": "members", "members": []}\n', "a list of workers that was not requested"),
        (b"\0next\0".join([message_bytes(Connected())] * 2), "connected for the second time"),
        (b" " * (9 << 20), "a header that is too long"),
    ],
)
def test_a_relay_that_sends_anything_else_is_terminated(
    messages: bytes, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        _relay(messages, monkeypatch) as asked,
        pytest.raises(ClusterGone, match="the relay of tcp://there sent something invalid: ") as why,
    ):
        _hear_all(asked)
    assert output in str(why.value)
    assert str(why.value).isprintable()


@pytest.mark.parametrize(
    "member",
    [
        b'{"address": "tcp://1 2", "threads": 1, "seen": 1.0}',
        b'{"address": "tcp://1", "threads": true, "seen": 1.0}',
        b'{"address": "tcp://1", "threads": 1, "seen": NaN}',
        b'{"address": "tcp://1\\u001b", "threads": 1, "seen": null}',
    ],
)
def test_impossible_workers_are_refused(member: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    messages = b'{"kind": "members", "members": [%b]}\n' % member
    with (
        _relay(messages, monkeypatch) as asked,
        pytest.raises(ClusterGone, match=r"sent something invalid: members\.members\.0"),
    ):
        _hear_of_workers(asked)


def test_a_message_that_never_ends_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with _relay(b"", monkeypatch, stop_in_the_middle) as asked:
        _ask(asked)
        assert asked.receive(0.0) is None


def test_a_relay_that_does_not_read_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    with _relay(b"", monkeypatch, end) as asked:
        for number in range(100):
            asked.ask(Ask(f"isolarium-{number:032}", "tcp://worker", print, ("x" * 100_000,), 10))
        with pytest.raises(ClusterGone, match="the relay of tcp://there has ended"):
            asked.receive(None)
        with pytest.raises(ClusterGone, match="the relay of tcp://there has ended"):
            asked.receive(None)


def test_a_relay_that_never_answers_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isolarium.arena.cluster.remote_workers.LIST_S", 0.0)
    with _relay(b"", monkeypatch, stop_in_the_middle) as asked:
        job = Starts(Board(3, 3), Limit())
        workers = ClusterWorkers(asked, "tcp://there", job, lambda *_: inf, inf)
        with pytest.raises(ClusterGone, match="the relay of tcp://there does not answer"):
            _play_on(workers)
