"""What people take along: links, moving pictures, and boards in pages of their own."""

import base64
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from playwright.sync_api import Browser, expect

from tests.web.pages.test_all_pages import findings
from tests.web.pages.watched_page import Watched
from tests.web.serving import Server, serving

pytestmark = pytest.mark.slow

Visit = Callable[..., Watched]

GAME = "5x5:+c3+a1+d5+b3+b4+c5"
DECODE = """async (text) => {
  const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const decoder = new ImageDecoder({ data, type: "image/gif" });
  await decoder.tracks.ready;
  const { frameCount } = decoder.tracks.selectedTrack;
  const canvas = document.createElement("canvas");
  const colours = [];
  for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    [canvas.width, canvas.height] = [image.codedWidth, image.codedHeight];
    const pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.drawImage(image, 0, 0);
    const beside = canvas.width / 2 - canvas.width / 14; // of the middle square, past any knight
    colours.push([...pen.getImageData(beside, beside, 1, 1).data.slice(0, 3)]);
  }
  return colours;
}"""


def test_a_game_as_a_moving_picture_and_as_a_link(visit: Visit) -> None:
    watched = visit(f"/analyse?game={GAME}&at=2", permissions=["clipboard-read", "clipboard-write"])
    page = watched.page
    page.get_by_role("tab", name="Share").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="GIF").click()
    content = Path(download.value.path()).read_bytes()
    colours = page.evaluate(DECODE, base64.b64encode(content).decode())
    assert len(colours) == 7
    light = [sum(colour) > 600 for colour in colours]
    assert light == [True, True, True, False, False, False, False]  # c3 is left by the third move
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    expect(page.get_by_label("For your own page")).to_be_hidden()


class Blog(BaseHTTPRequestHandler):
    """Somebody's page, with a frame in it."""

    frame = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>x</title>{self.frame}".encode())

    def log_message(self, *said: object) -> None:
        """Say nothing."""


@pytest.fixture
def blog() -> Iterator[int]:
    """The port of a site that is called 127.0.0.1, and localhost too."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Blog) as site:
        thread = Thread(target=site.serve_forever)
        thread.start()
        yield site.server_port
        site.shutdown()
        thread.join()


@pytest.fixture
def embedded(tmp_path: Path, blog: int) -> Iterator[Server]:
    """A server that lets that site show its boards, under one of its names."""
    with serving(tmp_path / "runs", "--embed", f"http://127.0.0.1:{blog}") as server:
        yield server


def test_a_board_in_somebody_elses_page(
    embedded: Server, visit: Visit, browser: Browser, server: Server, blog: int
) -> None:
    assert server.get("/embed").status_code == 404  # where nobody was named
    assert "frame-ancestors 'none'" in embedded.get("/play").headers["content-security-policy"]
    mine = visit(f"/analyse?game={GAME}&at=2", at=embedded)
    mine.page.get_by_role("tab", name="Share").click()
    Blog.frame = mine.page.get_by_label("For your own page").input_value()

    context = browser.new_context()
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(f"http://127.0.0.1:{blog}/post")
    shown = page.frame_locator("iframe")
    expect(shown.get_by_text("6 moves")).to_be_visible()
    shown.get_by_role("button", name="Next move").click()
    expect(shown.get_by_text("1/6 c3")).to_be_visible()
    expect(shown.get_by_role("link", name="Isolarium")).to_have_attribute(
        "href", "/analyse?game=5x5:+c3+a1+d5+b3+b4+c5&at=1"
    )
    assert said == []
    with page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        page.goto(f"http://localhost:{blog}/post")
    expect(shown.get_by_text("6 moves")).to_have_count(0)
    context.close()

    alone = visit(f"/embed?game={GAME}&at=4", at=embedded)
    expect(alone.page.get_by_text("4/6 b3")).to_be_visible()
    assert findings(alone.page, runOnly=["wcag2a", "wcag2aa"]) == []
    wrong = visit("/embed?game=hello", at=embedded)
    expect(wrong.page.get_by_role("alert")).to_contain_text("The address does not contain a valid game")
