"""Measure the processor time of each test file; a pytest plugin.

    .venv/bin/pytest -p tools.test_durations --durations-table docs/evidence/test_durations.txt [FILES]

Processor time includes child processes, so it is comparable between a quiet and a busy machine; wall time is not.
Rows of files that do not run in a session are kept, so the table can be measured in pieces. Works with and without
pytest-xdist. Linux only: a child that is still running is read from /proc.

The first test that needs compiled kernels, a server or a browser also pays for starting it. A
test's time therefore depends on the tests that ran before it in the same process. The time of an
orphan (its parent exited first) is not counted.
"""

import os
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Final

import pytest

COST: Final = "cost_s"
"""The user property of a report: the processor and wall seconds of one phase of a test."""
COLLECTION: Final = "(collection, per process)"
TOTAL: Final = "total"
COLUMNS: Final = ("tests", "cpu_s", "wall_s", "slowest_cpu_s")
RETRIES: Final = 5
_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")


@dataclass
class Row:
    """The cost of one test file."""

    tests: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    slowest_s: float = 0.0
    slowest: str = "-"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the table."""
    parser.addoption("--durations-table", type=Path, help="update FILE with the cost of each file")


def pytest_configure(config: pytest.Config) -> None:
    """Measure in every process; write the table in the main process."""
    config.pluginmanager.register(Stopwatch(config), "stopwatch")
    table = config.getoption("--durations-table")
    if table is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Table(config.rootpath / table), "durations-table")


def processor_s() -> float:
    """Return the processor seconds of this process and of all its descendants, running or waited for."""
    times = os.times()
    return sum(times[:4]) + sum(map(_descendants_s, _children("self")))


def _descendants_s(process: str) -> float:
    try:
        fields = _read(f"/proc/{process}/stat").rpartition(")")[2].split()
    except OSError:  # exited meanwhile
        return 0.0
    own = sum(map(int, fields[11:15])) * _TICK_S
    return own + sum(map(_descendants_s, _children(process)))


def _children(process: str) -> list[str]:
    tasks = f"/proc/{process}/task"
    try:
        threads = os.listdir(tasks)  # noqa: PTH208
        return [child for one in threads for child in _read(f"{tasks}/{one}/children").split()]
    except OSError:
        return []


def _read(file: str) -> str:
    """Read a file of /proc with functions that tests do not replace, unlike `Path`."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return os.read(descriptor, 1 << 16).decode()
    finally:
        os.close(descriptor)


class Stopwatch:
    """Attaches to each report the time since the report before it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._cpu_s = 0.0  # the first lap is that of collection, with all imports
        self._wall_s = monotonic()

    def _lap(self) -> tuple[float, float]:
        cpu_s, wall_s = processor_s(), monotonic()
        for _ in range(RETRIES):  # The list of a process's children may be incomplete while one of them exits.
            if cpu_s >= self._cpu_s:
                break
            cpu_s = max(cpu_s, processor_s())
        lap = max(0.0, cpu_s - self._cpu_s), wall_s - self._wall_s
        self._cpu_s, self._wall_s = cpu_s, wall_s
        return lap

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take the time from the start of the process to the first test."""
        cost = self._lap()
        output = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[COST] = cost
        table = self._config.pluginmanager.get_plugin("durations-table")
        if table is not None and session.items:
            table.collected(cost)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the cost of a test's setup, call or teardown."""
        report = yield
        report.user_properties.append((COST, self._lap()))
        return report


class Table:
    """Sums the reports of all processes and writes the table."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._tests: dict[str, Row] = {}
        self._collection = Row()

    def collected(self, cost: tuple[float, float]) -> None:
        """Record the cost of one collection; the highest is written."""
        if cost[0] > self._collection.cpu_s:
            self._collection = Row(1, *cost)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Record the cost of collection in a worker."""
        self.collected(getattr(node, "workeroutput", {}).get(COST, (0.0, 0.0)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase to its test."""
        properties: dict[str, Any] = dict(report.user_properties)
        cpu_s, wall_s = properties.get(COST, (0.0, 0.0))
        row = self._tests.setdefault(report.nodeid, Row(1))
        row.cpu_s += cpu_s
        row.wall_s += wall_s

    def pytest_sessionfinish(self) -> None:
        """Write the table, with the rows of other files as they were."""
        if self._tests:
            rows = read_table(self._path) | by_file(self._tests)
            rows[COLLECTION] = self._collection
            self._path.write_text(format_table(rows), encoding="utf-8")


def by_file(tests: dict[str, Row]) -> dict[str, Row]:
    """Return the sum of the tests of each file."""
    files: dict[str, Row] = {}
    for name, test in tests.items():
        file, _, short = name.partition("::")
        row = files.setdefault(file, Row())
        row.tests += 1
        row.cpu_s += test.cpu_s
        row.wall_s += test.wall_s
        if row.slowest == "-" or test.cpu_s > row.slowest_s:
            row.slowest, row.slowest_s = short, test.cpu_s
    return files


def read_table(path: Path) -> dict[str, Row]:
    """Return the rows of a table; empty if the file does not exist."""
    if not path.exists():
        return {}
    rows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("tests/"):
            file, tests, cpu_s, wall_s, slowest_s, slowest = line.split(maxsplit=5)
            rows[file] = Row(int(tests), float(cpu_s), float(wall_s), float(slowest_s), slowest)
    return rows


def format_table(rows: dict[str, Row]) -> str:
    """Return the table: the most expensive file first, the total and collection at the top."""
    files = {name: row for name, row in rows.items() if name != COLLECTION}
    total = Row(
        sum(row.tests for row in files.values()),
        sum(row.cpu_s for row in files.values()),
        sum(row.wall_s for row in files.values()),
    )
    ordered = dict(sorted(files.items(), key=lambda item: (-round(item[1].cpu_s, 2), item[0])))
    lines = [
        "The cost of each test file: python -m pytest -p tools.test_durations --durations-table FILE",
        "Processor seconds include child processes. Wall seconds are those of a shared machine.",
        "",
        _line("file", *COLUMNS, "slowest test"),
    ]
    first = {COLLECTION: rows.get(COLLECTION, Row()), TOTAL: total}
    for name, row in {**first, **ordered}.items():
        costs = (f"{row.cpu_s:.2f}", f"{row.wall_s:.2f}", f"{row.slowest_s:.2f}")
        lines.append(_line(name, str(row.tests), *costs, row.slowest[:100]))
    return "\n".join(lines) + "\n"


def _line(name: str, *cells: str) -> str:
    *numbers, last = cells
    return f"{name:<50} " + " ".join(f"{cell:>9}" for cell in numbers[:3]) + f" {numbers[3]:>13}  {last}"
