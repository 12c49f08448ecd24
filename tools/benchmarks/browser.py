"""Measure the pages' engine in Chromium and in Node beside native code, in turns, on one core each.

    python -m tools.benchmarks.browser

A rate is the best of several rounds, so that compilation and other programs count little. Native ones are per second of
processor time, the others per second of the clock. `tools.benchmarks.browser_engine` measures moves and downloads.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import thread_time
from typing import Any, Final

from playwright.sync_api import sync_playwright

from isolarium.agents import parse_agent
from isolarium.game.notation import parse_position
from isolarium.search.protocol import Choice
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver
from tests.web.pages.conftest import ARGUMENTS, chromium
from tools.build_wasm.node_engine import NodeEngine
from tools.build_wasm.sources import FOLDER

POSITION: Final = "7/7/2A4/7/4B2/7/7 a"
AGENTS: Final = (
    "alphabeta:improved@depth=14",
    "alphabeta:ratio@depth=12",
    "strong:improved@nodes=100000",
    "champion@depth=11",
    "mcts@nodes=100000",
)
SOLVED: Final = "3x3/7/2A4/3x3/4B2/7/x6 a"
ROUNDS: Final = 40
START: Final = """async () => {
  const { loadEngine } = await import("/engine/wasm_engine.js");
  const { parsePosition } = await import("/game/notation.js");
  globalThis.engine = await loadEngine("/engine/");
  globalThis.parsePosition = parsePosition;
}"""

Ask = Callable[..., dict[str, Any]]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Print nothing."""


@contextmanager
def in_chromium() -> Iterator[Ask]:
    """Serve the pages' modules, and yield a function that calls the engine in Chromium."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=FOLDER.parent))
    Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/icon.svg")
        page.evaluate(START)

        def ask(method: str, *arguments: Any) -> dict[str, Any]:
            found: dict[str, Any] = page.evaluate(
                "([method, args]) => engine[method](...args.slice(0, -1), parsePosition(args.at(-1)))",
                [method, list(arguments)],
            )
            return found

        yield ask
        browser.close()
    server.shutdown()


def main() -> None:
    """Print a row for each agent and for the solver."""
    print(f"{'million nodes a second':32} {'native':>7} {'Chromium':>8} {'ratio':>6} {'Node':>7} {'ratio':>6}")
    with NodeEngine() as node, in_chromium() as browser:
        for spec in AGENTS:
            agent, position = parse_agent(spec), parse_position(POSITION)
            choose = partial(agent.choose, position)
            compare(spec, choose, ("choose", spec, POSITION), node.ask, browser)
        solve = partial(Solver().solve, parse_position(SOLVED))
        compare("solver", solve, ("solve", SOLVED), node.ask, browser)


def compare(name: str, native: Callable[[], Choice | Solution], request: tuple[str, ...], *asks: Ask) -> None:
    """Measure in turns, and print a row."""
    best = [0.0] * (1 + len(asks))
    for _ in range(ROUNDS):
        began = thread_time()
        answer = native()
        seconds = thread_time() - began
        nodes = answer.report.nodes if isinstance(answer, Choice) else answer.nodes
        best[0] = max(best[0], nodes / seconds / 1e6)
        for place, ask in enumerate(asks, start=1):
            found = ask(*request)
            assert found["nodes"] == nodes, f"{name}: {found['nodes']} nodes instead of {nodes}"
            best[place] = max(best[place], nodes / found["ms"] / 1e3)
    own, in_node, in_browser = best
    print(
        f"{name:32} {own:7.1f} {in_browser:8.1f} {in_browser / own:6.2f} {in_node:7.1f} {in_node / own:6.2f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
