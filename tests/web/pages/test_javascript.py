"""JavaScript without a DOM gives the same results under Node.js and in a browser."""

from pathlib import Path
from typing import Any

import pytest

from tests.web.pages.javascript import RunJs, find_node

pytestmark = pytest.mark.slow

NOTATION = 'import { formatSquare, parsePosition } from "/pages/game/notation.js";'
SQUARES = """
    const position = parsePosition(argument);
    return position.legalMoves().map((square) => formatSquare(square, position.cols));
"""
STORE = 'import { dueToday, today } from "/pages/notebook/notebook_store.js";'
CASES: list[tuple[str, str, Any, Any]] = [
    (NOTATION, SQUARES, "7/7/1x5/3A3/5B1/7/7 a", ["c2", "e2", "f3", "b5", "c6", "e6"]),
    ("", "return argument;", {"text": "“♞” \u2028 \\ </script>"}, {"text": "“♞” \u2028 \\ </script>"}),
    ("", "return undefined;", None, None),
    ("", "return [undefined, null, 0.5];", None, [None, None, 0.5]),
    ("", "return typeof document;", None, "undefined"),
    ("", "console.log('{}'); return argument + 1;", 1, 2),
    ("", "return (globalThis.runs = (globalThis.runs ?? 0) + 1);", None, 1),
    ("", "return (globalThis.runs = (globalThis.runs ?? 0) + 1);", None, 1),
    (STORE, "return [dueToday(), today().length];", None, [0, 10]),
    ("", 'return new Intl.NumberFormat("en").format(argument);', 1234567, "1,234,567"),
]
FAILURES = [
    ("", "throw new RangeError('no such square');", "RangeError: no such square"),
    ("", "return [Infinity];", "Infinity is not JSON"),
    (NOTATION, "return parsePosition(argument);", "TypeError"),
]


@pytest.fixture
def runners(js_in_browser: RunJs, js_in_node: RunJs | None) -> list[RunJs]:
    """Every runner that this machine has."""
    return [js_in_browser] if js_in_node is None else [js_in_browser, js_in_node]


def test_every_runner_gives_the_same_results(runners: list[RunJs]) -> None:
    for run in runners:
        found = [run(imports, body, argument) for imports, body, argument, _ in CASES]
        assert found == [expected for *_, expected in CASES]


@pytest.mark.parametrize(("imports", "body", "complaint"), FAILURES)
def test_every_runner_reports_what_fails(runners: list[RunJs], imports: str, body: str, complaint: str) -> None:
    for run in runners:
        with pytest.raises(AssertionError, match=complaint):
            run(imports, body)


def test_node_is_used_only_where_it_is_recent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    node = tmp_path / "node"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_node() is None
    for version, wanted in [("v18.19.1", None), ("v20.0.0", str(node)), ("nonsense", None)]:
        node.write_text(f"#!/bin/sh\necho {version}\n")
        node.chmod(0o755)
        assert find_node() == wanted
