"""`isolarium serve` as a command."""

import signal
import socket
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.command import COMMAND, PATIENCE_S, environment, run_isolarium
from tests.web.serving import serving

pytestmark = pytest.mark.slow


def test_a_port_in_use_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run_isolarium("serve", "--port", str(port), "--no-open", "--runs", str(tmp_path))
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        f"isolarium: 127.0.0.1 port {port}: already in use; try another, such as --port {port + 1}\n"
    )


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["--host", "192.0.2.1"], "--host 192.0.2.1: not an address of this machine"),
        (["--host", "no such host"], "--host no such host: not an address of this machine"),
        (["--allow", "/no/such/folder"], "--allow /no/such/folder: no such folder"),
        (["--proxy", "lab.example"], "--proxy lab.example: expected an IP address"),
        (["--embed", "blog.example; x"], "--embed blog.example; x: expected a site"),
        (["--port", "65536"], "at most 65535"),
    ],
)
def test_what_cannot_be_is_one_line(arguments: list[str], part: str) -> None:
    result = run_isolarium("serve", "--no-open", "--port", "0", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert part in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_whatever_goes_on(tmp_path: Path, number: int) -> None:
    """How soon, tools/benchmarks/first_load.py says."""
    endless = {"game": "7x7: d4 b3", "agent": "minimax:improved@depth=30"}
    with serving(tmp_path / "runs") as server, server.asking("/api/move", endless):
        server.wait_until_at_work()
        assert server.end(number) == 0


def test_it_prints_one_line_with_the_address_and_how_to_end_it(tmp_path: Path) -> None:
    command = [COMMAND, "serve", "--port", "0", "--no-open", "--runs", str(tmp_path / "runs")]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        address = line.split()[3]
        assert line == f"Serving Isolarium at {address} (Ctrl-C stops it)\n"
        assert httpx.get(address, timeout=PATIENCE_S).status_code == 200
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE_S) == ("", "")
        assert process.returncode == 0
    assert not (tmp_path / "runs").exists(), "looking leaves nothing behind"
