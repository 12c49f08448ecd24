"""The pipe to a process that may do anything: it may not read, and whoever writes to it goes on."""

from multiprocessing import Pipe

import pytest

from isolarium.processes import rpc
from isolarium.processes.rpc import BadAnswer, UntrustedPipe


def test_a_process_that_does_not_read_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rpc, "SENDING_S", 0.05)
    ours, theirs = Pipe()
    line = UntrustedPipe(ours)
    with theirs, pytest.raises(BadAnswer, match="did not read what it was asked"):
        line.send(bytes(1 << 24))
    line.close()


def test_a_long_request_arrives_whole() -> None:
    ours, theirs = Pipe()
    line = UntrustedPipe(ours)
    with theirs:
        line.send(b"x" * 50_000)
        assert theirs.recv_bytes() == b"x" * 50_000
    line.close()


def test_a_process_that_is_gone_is_an_end() -> None:
    ours, theirs = Pipe()
    theirs.close()
    line = UntrustedPipe(ours)
    with pytest.raises(EOFError):
        line.send(b"x")
    with pytest.raises(EOFError):
        line.poll(1.0)
    line.close()
