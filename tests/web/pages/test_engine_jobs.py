"""The engine in the browser answers requests as the server's jobs do."""

from typing import Any

import pytest

from isolarium.agents.levels import LEVELS
from isolarium.web.jobs import agent_jobs
from tests.web.pages.javascript import RunJs

pytestmark = pytest.mark.slow

WORKERS = 'import { engineWorkers } from "/pages/engine/engine_workers.js";'
ASK = """
  const found = [];
  for (const [kind, request] of argument) found.push(await engineWorkers.ask(kind, request));
  return found;
"""
GAME = "7x7: e2 f5 d4 e3 f3 c4 e5 d6 d3 e4 c5 c3 e6 d5 c7 b4 b5 c6 a3 a5 c2 b3 a1 c1"
SHORT = "5x5: d1 c3 b2 d5 d3 e3 e5 c4"
PLACES = ["5x5: d1 c3 b2", SHORT, "7x7: d4 b3", "4x4: b2", GAME, "6x5: c3 d4", "9x9: e5 f7 d3"]


def never() -> bool:
    """Do not stop."""
    return False


def without(answer: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return an answer without some of its facts."""
    return {name: value for name, value in answer.items() if name not in names}


def test_values_of_moves(js_in_browser: RunJs) -> None:
    more = {"exact": True, "heuristics": ["improved", "distance(z=0)"], "searches": [], "seed": 1}
    requests = [{"game": game, **more} for game in PLACES]
    requests.append({**requests[1], "searches": ["alphabeta:improved@nodes=500", "mcts@nodes=200"]})
    found = js_in_browser(WORKERS, ASK, [("values", request) for request in requests])
    for request, answer in zip(requests, found, strict=True):
        expected = agent_jobs.values(request, never)
        assert without(answer, "ms") == without(expected, "ms")


def test_moves_of_the_levels_and_the_oracle(js_in_browser: RunJs) -> None:
    agents = [*(level.agent for level in LEVELS[:6]), "champion@nodes=20000,book", "oracle@nodes=300000"]
    requests = [
        {"game": game, "agent": agent, "seed": seed}
        for seed, game in enumerate(["7x7:", "7x7: d4", "7x7: d4 b3 c6 d2", "5x5: d1 c3 b2", "8x8: d4 e6"])
        for agent in agents
    ]
    found = js_in_browser(WORKERS, ASK, [("think", request) for request in requests])
    for request, answer in zip(requests, found, strict=True):
        expected = {"kind": "move", **agent_jobs.think(request, never)}
        for one in (answer, expected):
            one["report"] = without(one["report"], "ms")
        assert answer == expected, request


def test_best_lines(js_in_browser: RunJs) -> None:
    requests = [{"game": game} for game in PLACES[:5]]
    found = js_in_browser(WORKERS, ASK, [("line", request) for request in requests])
    assert found == [agent_jobs.best_line(request, never) for request in requests]


def test_a_search_that_is_stopped_tells_what_it_found(js_in_browser: RunJs) -> None:
    request = {"game": "13x13: g7 f5", "agent": "champion@ms=600000", "seed": 1}
    found = js_in_browser(
        WORKERS,
        """return new Promise((resolve) => {
          const found = [];
          const job = engineWorkers.start("think", argument, (answer, isLast) => {
            found.push(answer);
            if (found.length === 3) job.stop();
            if (isLast) resolve(found);
          });
        });""",
        request,
    )
    *output, last = found
    assert {one["kind"] for one in output} == {"thinking"}
    assert last["kind"] == "move"
    assert last["stopped"]
    assert last["report"]["nodes"] >= output[-1]["nodes"] > output[0]["nodes"] > 0


def test_what_the_engine_does_not_have_is_named(js_in_browser: RunJs) -> None:
    output = js_in_browser(
        WORKERS,
        """const messages = [];
        for (const [kind, request] of argument) {
          messages.push(await engineWorkers.ask(kind, request).catch((error) => error.message));
        }
        return messages;""",
        [
            ("think", {"game": "7x7:", "agent": "alphabet:improved"}),
            ("think", {"game": "7x7:", "agent": "alphabeta:imroved"}),
            ("values", {"game": "7x7: d4 d4"}),
            ("agent", {"agent": "champion@nodes=5"}),
        ],
    )
    assert "alphabet" in output[0]
    assert "imroved" in output[1]
    assert "d4" in output[2]
    assert output[3] == {"agent": "champion@nodes=5"}
