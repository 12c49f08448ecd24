"""`isolarium serve`, and its answers over HTTP and WebSocket."""

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tools.recording.cases import Step
from tools.recording.commands import STEP_S, Ended
from tools.recording.files import text_of
from tools.recording.normaliser import Normaliser, laid_out

UNTOLD_HEADERS: Final = ("date", "content-length")
PASSED_OVER: Final = ("queued", "thinking")
"""Kinds of messages whose number depends on speed."""
WRITTEN: Final = {"text/html": ".html", "image/svg+xml": ".svg", "text/markdown": ".md"}
AGAIN_S: Final = 0.2


class Server:
    """A running server.

    Attributes:
        port: The port it listens on.
        token: The token it requires.
        output: Its output at the start.
    """

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._complaints = TemporaryFile()  # noqa: SIM115 # it is closed with the server
        self._process = subprocess.Popen(
            words,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.output = self._process.stdout.readline().decode()
        found = re.search(r"http://[^ /]*:(\d+)(?:/#token=(\S+))?", self.output)
        self.port, self.token = (int(found[1]), found[2] or "") if found else (0, "")
        self._usual: dict[str, str] = {}

    def end(self) -> Ended:
        """Stop the server with Ctrl-C."""
        self._process.send_signal(signal.SIGINT)
        try:
            stdout, _ = self._process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            return Ended("none after 30 s")
        with self._complaints as file:
            file.seek(0)
            stderr = file.read().decode("utf-8", "backslashreplace")
        return Ended(self._process.returncode, stdout.decode(), stderr)

    # HTTP

    def ask(self, step: Step, normaliser: Normaliser) -> str:
        """Return the answer to a request: status, unusual headers, and body."""
        give_up = time.monotonic() + STEP_S
        while True:
            answer, body = self._request(step)
            if _is_there(step.until, body) or time.monotonic() > give_up:
                break
            time.sleep(AGAIN_S)
        headers = {name.lower(): value for name, value in answer.getheaders()}
        if "etag" in headers:
            headers["etag"] = "ETAG"
        described = [f"{answer.status} {answer.reason}"]
        described += [
            normaliser.text(f"{name}: {value}")
            for name, value in headers.items()
            if name not in UNTOLD_HEADERS and self._usual.get(name) != value
        ]
        self._usual = self._usual or headers
        if step.brief:
            return f"{described[0]}\n"
        kind = headers.get("content-type", "").partition(";")[0]
        return "\n".join([*described, _body(body, kind, normaliser)])

    def _request(self, step: Step) -> tuple[HTTPResponse, bytes]:
        method, path, *rest = step.do.split(" ", 2)
        headers = {"Host": f"127.0.0.1:{self.port}"}
        if rest:
            headers["Content-Type"] = "application/json"
        connection = HTTPConnection("127.0.0.1", self.port, timeout=STEP_S)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            body = rest[0].encode() if rest else b""
            for name, value in {**headers, **step.headers}.items():
                connection.putheader(name, value)
            if method == "POST":
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    # WebSockets

    def talk(self, step: Step, normaliser: Normaliser) -> str:
        """Return the messages of a WebSocket until either side closes it."""
        path = step.do.split(" ", 1)[1]
        headers = dict(step.headers)
        origin: Any = headers.pop("Origin", None)
        lines: list[str] = []
        try:
            with connect(
                f"ws://127.0.0.1:{self.port}{path}", origin=origin, additional_headers=headers, compression=None
            ) as connection:
                for message in step.say or [""]:
                    for line in message.splitlines():
                        connection.send(bytes.fromhex(line[2:]) if line[:2] == "0x" else line)
                        lines.append(f"-> {line[:200]}")
                    lines += _heard(connection, step.hear, normaliser)
        except InvalidStatus as refused:
            lines.append(f"refused with status {refused.response.status_code}")
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd else "none"
            lines.append(f"closed with code {code}")
        return "\n".join(lines) + "\n"


def _is_there(awaited: str, body: bytes) -> bool:
    """Return whether an answer contains a text; with a leading exclamation mark, whether it does not."""
    text = body.decode("utf-8", "replace")
    return awaited[1:] not in text if awaited.startswith("!") else awaited in text


def _heard(connection: ClientConnection, kinds: Sequence[str], normaliser: Normaliser) -> list[str]:
    """Yield the messages up to one of these kinds."""
    lines = []
    while True:
        message = json.loads(connection.recv(timeout=STEP_S))
        if message["kind"] in PASSED_OVER:
            continue
        lines.append(f"<- {laid_out(normaliser.facts(message), 3)}")
        if message["kind"] in kinds:
            return lines


def _body(body: bytes, kind: str, normaliser: Normaliser) -> str:
    if kind in ("text/javascript", "text/css", "image/png"):
        return f"({'some' if body else 'no'} {kind})\n"
    text = body.decode("utf-8", "backslashreplace")
    if kind in WRITTEN:
        return text_of(text, WRITTEN[kind], normaliser)
    return normaliser.output(text)
