"""Run a case in its own folder, and record what it does."""

import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Final

from tools.recording.cases import Case, Step, set_stage
from tools.recording.commands import Ended, run_in_pipes, run_in_terminal
from tools.recording.files import State, content, differences, state_of
from tools.recording.normaliser import Normaliser, without_notices
from tools.recording.server import Server

MOST_LINES: Final = 80
"""Longer files are written beside the case, under their own names."""
_REPEATED: Final = re.compile(r"<<(.+?)\*(\d+)>>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Subject:
    """The installation to record.

    Attributes:
        isolarium: The command.
        python: Its interpreter.
        package: The folder from which it imports Isolarium.
        cache: The folder of compiled code that all cases share.
    """

    isolarium: Path
    python: Path
    package: Path
    cache: Path


def subject_at(isolarium: Path, cache: Path) -> Subject:
    """Return the checkout that a command belongs to."""
    isolarium = isolarium.absolute()
    python = isolarium.with_name("python")
    where = "import isolarium, pathlib; print(pathlib.Path(isolarium.__file__).parents[1])"
    found = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True)
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Subject(isolarium, python, Path(found.stdout.strip()), cache.absolute())


def record_case(case: Case, subject: Subject, out: Path) -> float:
    """Run a case and return its seconds.

    It writes `out/NAME.txt`, and large files into `out/NAME`.
    """
    began = time.monotonic()
    # A shell that starts this process in the background makes it ignore Ctrl-C, and child processes
    # would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    root = Path(tempfile.mkdtemp(prefix="isolarium-case-")).resolve()
    try:
        folders = {name: root / name for name in ("DIR", "HOME", "TMP")}
        for folder in folders.values():
            folder.mkdir()
        set_stage(case, folders["DIR"])
        place = out / case.name
        shutil.rmtree(place, ignore_errors=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        run = _CaseRun(case, subject, folders, place)
        place.with_name(f"{place.name}.txt").write_text(
            "\n".join(run.report()), encoding="utf-8", errors="backslashreplace"
        )
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return time.monotonic() - began


class _CaseRun:
    """A running case."""

    def __init__(self, case: Case, subject: Subject, folders: Mapping[str, Path], place: Path) -> None:
        self._case, self._subject, self._place = case, subject, place
        self._folders, self._folder = folders, folders["DIR"]
        self._today = date.today().isoformat()
        self._names = {str(path): name for name, path in folders.items()} | {
            str(subject.cache): "CACHE",
            str(subject.python.parents[1]): "VENV",
            str(subject.package): "PACKAGE",
        }
        self._environment = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(folders["HOME"]),
            "TMPDIR": str(folders["TMP"]),
            "ISOLARIUM_CACHE": str(subject.cache),
        }
        self._server: Server | None = None
        self._served: State = {}

    def report(self) -> Iterator[str]:
        """Yield everything to record, in lines or larger pieces."""
        try:
            for step in self._case.run:
                yield from self._step(step)
        finally:
            if self._server is not None:
                ended = self._server.end()
        if self._server is not None:
            yield "$ (the server is ended by Ctrl-C)"
            yield from self._ended(ended)
            yield from self._files_since(self._served)

    def _step(self, step: Step) -> Iterator[str]:
        word, _, rest = step.do.partition(" ")
        expanded = replace(
            step,
            do=self._expanded(step.do),
            input=self._expanded(step.input),
            say=[self._expanded(one) for one in step.say],
            headers={name: self._expanded(value) for name, value in step.headers.items()},
        )
        if word == "sh":
            subprocess.run(["sh", "-c", rest], cwd=self._folder, check=True)
            return
        if word == "sql":
            self._change_database(expanded.do)
            return
        yield f"$ {step.do}"
        if word in ("isolarium", "python"):
            yield from self._command(expanded)
        elif word == "serve":
            yield from self._serve(expanded)
        elif self._server is not None and word == "WS":
            yield self._server.talk(expanded, self._normaliser())
        elif self._server is not None and word in ("GET", "POST", "HEAD", "PUT", "DELETE"):
            yield self._server.ask(expanded, self._normaliser())
        else:
            raise ValueError(f"{self._case.name}: {step.do}: expected another step")

    def _expanded(self, text: str) -> str:
        text = text.replace("TODAY", self._today)
        if self._server is not None:
            text = text.replace("PORT", str(self._server.port))
            text = text.replace("TOKEN", self._server.token or "TOKEN")
        return _REPEATED.sub(lambda found: found[1] * int(found[2]), text)

    def _change_database(self, line: str) -> None:
        _, pattern, statements = shlex.split(line)
        (path,) = self._folder.glob(pattern)
        with closing(sqlite3.connect(path)) as base, base:
            base.executescript(statements)

    # Commands

    def _command(self, step: Step) -> Iterator[str]:
        before = state_of(self._folder)
        program, *arguments = shlex.split(step.do)
        words = [str(getattr(self._subject, program)), *arguments]
        run = run_in_terminal if step.terminal else run_in_pipes
        ended = run(words, step, self._folder, self._variables(step))
        if step.input:
            yield f"--- stdin\n{self._normaliser().text(step.input)[:2000]}"
        yield from self._ended(ended)
        yield from self._files_since(before)

    def _files_since(self, before: State) -> Iterator[str]:
        for what, path in differences(before, state_of(self._folder)):
            yield from self._file(what, path)

    def _variables(self, step: Step) -> dict[str, str]:
        """Return the environment variables of a step; empty ones are removed."""
        chosen = {**self._environment, **self._case.env, **step.env}
        for folder, path in self._folders.items():
            chosen = {name: value.replace(f"{{{folder}}}", str(path)) for name, value in chosen.items()}
        return {name: value for name, value in chosen.items() if value}

    def _normaliser(self) -> Normaliser:
        names = dict(self._names)
        if self._server is not None:
            names |= {f":{self._server.port}": ":PORT"}
            names |= {self._server.token: "TOKEN"} if self._server.token else {}
        return Normaliser(names, self._case.blur, self._case.replace)

    def _ended(self, ended: Ended) -> Iterator[str]:
        normaliser = self._normaliser()
        yield f"status {ended.status}"
        if ended.stdout:
            shown = normaliser.output(ended.stdout)
            if self._case.sort and not shown.startswith("(JSON"):
                shown = "".join(sorted(shown.splitlines(keepends=True)))
            yield f"--- stdout\n{_whole(shown)}"
        for name, text in (("stderr", ended.stderr), ("screen", ended.screen)):
            kept = text if self._case.notices else without_notices(text)
            if kept:
                yield f"--- {name}\n{_whole(normaliser.text(kept))}"
        yield ""

    def _file(self, what: str, path: Path) -> Iterator[str]:
        normaliser = self._normaliser()
        name = normaliser.text(str(path.relative_to(self._folder)))
        if what == "removed" or self._case.untold:
            yield f"--- {what} {name}\n"
            return
        text = content(path, normaliser)
        if text.count("\n") <= MOST_LINES:
            yield f"--- {what} {name}\n{_whole(text)}"
            return
        beside = self._place / name
        while beside.exists():
            beside = beside.with_name(f"{beside.name}.again")
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text, encoding="utf-8", errors="backslashreplace")
        yield f"--- {what} {name}\n(beside this file)\n"

    # The server

    def _serve(self, step: Step) -> Iterator[str]:
        if self._server is not None:
            raise ValueError(f"{self._case.name}: one server at a time")
        words = [str(self._subject.isolarium), *shlex.split(step.do)]
        self._served = state_of(self._folder)
        self._server = Server(words, self._folder, self._variables(step))
        yield f"--- stdout\n{self._normaliser().text(self._server.output)}"


def _whole(text: str) -> str:
    """Return a text that ends with a newline, or with a note that it lacks one."""
    return text if text.endswith("\n") or not text else f"{text}\n(no line end)\n"
