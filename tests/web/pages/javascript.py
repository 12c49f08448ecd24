"""Run JavaScript of the pages where there is no DOM: under Node.js, or in a Web Worker of a browser.

Both runners take the same cases and give the same results: a case is a module that posts its answer as JSON.
"""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from playwright.sync_api import Page

from isolarium.web.routes.static import FOLDER
from tests.command import PATIENCE_S

OLDEST_NODE: Final = 20
RUNNER: Final = Path(__file__).with_name("node_runner.mjs")
_UNDER_TEST: Final = "/pages/under-test.js"
_CASE: Final = """
const run = async (argument) => {{
{body}
}};
const exact = (name, value) => {{
  if (typeof value === "number" && !Number.isFinite(value)) throw new TypeError(`${{value}} is not JSON`);
  return value;
}};
let told;
try {{
  if (typeof document !== "undefined") throw new Error("there is a DOM here");
  told = JSON.stringify({{ answer: await run({argument}) }}, exact);
}} catch (error) {{
  told = JSON.stringify({{ error: String(error.stack) }});
}}
post(told);
"""
_NODE: Final = (
    'import {{ parentPort }} from "node:worker_threads";\n'
    "{imports}\nconst post = (text) => parentPort.postMessage(text);\n"
)
_BROWSER: Final = "{imports}\nconst post = (text) => self.postMessage(text);\n"
_IN_PAGE: Final = """(address) => new Promise((resolve) => {
  const worker = new Worker(address, { type: "module" });
  const end = (text) => { worker.terminate(); resolve(text); };
  worker.onmessage = ({ data }) => end(data);
  worker.onerror = ({ message }) => end(JSON.stringify({ error: message ?? "the module failed" }));
})"""


class RunJs(Protocol):
    """Run the body of an async function of `argument`, after imports from "/pages/..."."""

    def __call__(self, imports: str, body: str, argument: Any = None) -> Any:
        """Return what the body returns, as JSON holds it.

        Raises:
            AssertionError: If the body throws, or its result is not JSON.
        """


def find_node() -> str | None:
    """Return the path of Node.js; None if it is missing or too old."""
    found = shutil.which("node")
    if found is None:
        return None
    asked = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"v(\d+)\.", asked.stdout)
    return found if version and int(version[1]) >= OLDEST_NODE else None


@contextmanager
def node_runner(node: str, folder: Path) -> Iterator[RunJs]:
    """Keep one Node.js process for cases, with a copy of the pages' modules in an empty folder."""
    for module in FOLDER.rglob("*.js"):
        copy = folder / "pages" / module.relative_to(FOLDER)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(module.read_bytes())
    (folder / "package.json").write_text('{"type": "module"}')
    case = folder / "case.js"
    with subprocess.Popen(
        [node, str(RUNNER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def run(imports: str, body: str, argument: Any = None) -> Any:
            local = imports.replace('"/pages/', '"./pages/')
            case.write_text(_case(_NODE, local, body, argument), encoding="utf-8")
            timer = threading.Timer(PATIENCE_S, process.kill)
            timer.start()
            try:
                stdin.write(f"{case}\n")
                stdin.flush()
                output = stdout.readline()
            finally:
                timer.cancel()
            return _answer(output or '{"error": "Node.js ended without an answer"}')

        yield run
        stdin.close()


def browser_runner(page: Page) -> RunJs:
    """Run cases in Web Workers of a page that shows something of the server's."""
    script = ""

    # Never unrouted: a browser that still fetches for a worker may not answer that.
    page.route(
        f"**{_UNDER_TEST}", lambda route: route.fulfill(body=script, content_type="text/javascript; charset=utf-8")
    )

    def run(imports: str, body: str, argument: Any = None) -> Any:
        nonlocal script
        script = _case(_BROWSER, imports, body, argument)
        return _answer(page.evaluate(_IN_PAGE, _UNDER_TEST))

    return run


def _case(opening: str, imports: str, body: str, argument: Any) -> str:
    """Return a case as a module."""
    start = opening.format(imports=imports)
    return start + _CASE.format(body=body, argument=json.dumps(argument))


def _answer(output: str) -> Any:
    """Return the answer that a case posted."""
    result = json.loads(output)
    assert "error" not in result, result["error"]
    return result.get("answer")
