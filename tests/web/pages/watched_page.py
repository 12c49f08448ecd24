"""A page that is watched: what the browser complains about, and what is fetched from where."""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from playwright.sync_api import Locator, Page, Request, ViewportSize, WebSocket, expect

BLANK = "/pages/icon.svg"
"""What the server has that does nothing by itself."""

PHONE = {"viewport": ViewportSize(width=390, height=844), "has_touch": True, "is_mobile": True}


class Watched:
    """A page with all that went wrong on it.

    Attributes:
        page: the page.
        complaints: console errors, uncaught errors, and requests to other hosts.
        requests: every request there was.
    """

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[Request] = []
        self._hosts = (address + "/", address.replace("http://", "ws://") + "/", "blob:", "data:")
        page.on("console", lambda said: self._hear(said.type, said.text))
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        page.on("request", self._ask)
        page.on("websocket", self._connect)

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(f"{kind}: {text}")

    def _ask(self, request: Request) -> None:
        self.requests.append(request)
        self._check(request.url)

    def _connect(self, socket: WebSocket) -> None:
        self._check(socket.url)

    def _check(self, url: str) -> None:
        if not url.startswith(self._hosts):
            self.complaints.append(f"another host: {url}")

    def forget(self) -> None:
        """Begin again, as another visitor."""
        self.complaints, self.requests = [], []

    def forgive(self, status: int) -> None:
        """Take away the browser's complaints about answers with this status, of which there is at least one."""
        self.forgive_saying(f"status of {status}")

    def forgive_saying(self, mark: str) -> None:
        """Take away the browser's complaints that say this, of which there is at least one."""
        assert any(mark in complaint for complaint in self.complaints), self.complaints
        self.complaints = [one for one in self.complaints if mark not in one]

    # What all pages have

    @property
    def headline(self) -> Locator:
        """The first heading."""
        return self.page.locator("main h1")

    def square(self, name: str) -> Locator:
        """A square of the board, by its name."""
        return self.page.get_by_role("gridcell", name=re.compile(f"^{name}, "))

    def labels(self, squares: str = ".cell") -> list[str]:
        """What the board says of its squares, to those who do not see it."""
        found: list[str] = self.page.locator(f".board[role=grid] {squares}").evaluate_all(
            "cells => cells.map((cell) => cell.getAttribute('aria-label'))"
        )
        return found

    def legal(self) -> list[str]:
        """The names of the legal moves."""
        return [label.split(",")[0] for label in self.labels(".cell.legal")]

    def stop_the_clock(self) -> None:
        """Let the page's own clock stand still, so that two keys come together however slow the machine is."""
        self.page.clock.install()
        self.page.clock.pause_at(self.page.evaluate("Date.now()") + 1000)

    def expect_headline(self, pattern: str) -> None:
        """Wait until the heading matches."""
        expect(self.headline).to_have_text(re.compile(pattern))

    def query(self, name: str) -> str:
        """A text that the address holds."""
        found: str = self.page.evaluate("name => new URLSearchParams(location.search).get(name) ?? ''", name)
        return found

    def open_menu(self) -> None:
        """Open Play's menu."""
        self.page.get_by_text("More", exact=True).click()

    def open_setup(self) -> None:
        """Open the form for another game."""
        self.open_menu()
        self.page.get_by_text("Set up another game").click()


IN_WORKER: Final = """
const line = new BroadcastChannel("the test's engine");
const ids = new Set();
self.onmessage = ({ data: { request, ...more } }) => {
  line.postMessage({ asked: { ...more, ...request } });
  if (!more.stop) ids.add(more.id);
  else send({ id: more.id, kind: "error", error: "stopped" });
};
line.onmessage = ({ data }) => data.answer && send(data.answer);
function send({ id, ...answer }) {
  const done = answer.kind !== "thinking";
  if (ids.has(id)) self.postMessage({ id, answer, done });
  if (done) ids.delete(id);
}
"""
IN_PAGE: Final = """
const line = new BroadcastChannel("the test's engine");
globalThis.answerForEngine = (answer) => line.postMessage({ answer });
line.onmessage = async ({ data: { asked } }) => {
  if (asked) for (const answer of await globalThis.askTest(asked)) globalThis.answerForEngine(answer);
};
"""

Answers = Iterable[dict[str, Any]]


class ScriptedEngine:
    """An engine whose answers a test gives, in place of the Web Workers of pages that are opened from now on.

    Args:
        page: the page.
        answer: the answers that a request gets at once; a request has a `kind` and what a worker's job takes.

    Attributes:
        asked: the requests, each with its id. One that the page ends is followed by {"id", "stop": True}.
    """

    def __init__(self, page: Page, answer: Callable[[dict[str, Any]], Answers]) -> None:
        self.page, self._answer = page, answer
        self.asked: list[dict[str, Any]] = []
        page.route("**/engine/worker.js", lambda route: route.fulfill(content_type="text/javascript", body=IN_WORKER))
        page.expose_binding("askTest", lambda source, asked: self._hear(asked))
        page.add_init_script(IN_PAGE)

    def _hear(self, asked: dict[str, Any]) -> list[dict[str, Any]]:
        self.asked.append(asked)
        return [] if "stop" in asked else [{"id": asked["id"], **one} for one in self._answer(asked)]

    def say(self, request: int, answer: dict[str, Any]) -> None:
        """Answer a request."""
        self.page.evaluate("answer => globalThis.answerForEngine(answer)", {"id": request, **answer})


UNKNOWN_MARK: Final = {"mark": "unknown", **dict.fromkeys(("wins", "after", "decides", "keeps")), "score": 0}
"""The mark of a move in a position that is too large to be solved."""
