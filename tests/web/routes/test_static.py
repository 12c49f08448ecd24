"""PageFolder come from one folder, are never stale, and may load nothing from elsewhere."""

import re

import pytest

from isolarium.web.routes.static import PLACES
from tests.web.serving import Server

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", ["/", *(f"/{place}" for place in PLACES)])
def test_a_place_asks_for_few_files_that_are_kept_for_good(server: Server, path: str) -> None:
    answer = server.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    addresses = set(re.findall(r'"(/(?:packs|pages)/[^"]+)"', answer.text))
    place = path.strip("/") or "play"
    assert {one.split("/", 3)[3] for one in addresses} == {
        "icon.svg",
        "shared/theme.js",
        "-/index.css",
        f"-/{place}.js",
    }
    for address in addresses:
        found = server.get(address, headers={"Accept-Encoding": "gzip"})
        assert found.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert found.headers["content-encoding"] == "gzip"
        assert server.get(address, headers={"Accept-Encoding": "identity"}).text == found.text
    old = server.get(f"/packs/0123456789abcdef/-/{place}.js")
    assert (old.status_code, old.headers["cache-control"]) == (200, "no-store")


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/pages/main.js", "text/javascript; charset=utf-8"),
        ("/pages/shared/base.css", "text/css; charset=utf-8"),
        ("/favicon.ico", "image/svg+xml"),
    ],
)
def test_files_have_their_types(server: Server, path: str, kind: str) -> None:
    answer = server.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == kind


def test_a_browser_asks_again_and_is_answered_briefly(server: Server) -> None:
    first = server.get("/pages/main.js")
    assert first.headers["cache-control"] == "no-cache"
    again = server.get("/pages/main.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_pages_may_load_and_ask_nobody_else(server: Server) -> None:
    headers = server.get("/").headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert policy["worker-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/pages/../app.py",
        "/pages/..%2fapp.py",
        "/pages/%2e%2e/app.py",
        "/pages//etc/passwd",
        "/pages/%00.js",
        "/pages/..%5capp.py",
        "/pages/.hidden.js",
        "/pages/",
        "/pages/nothing.js",
        "/packs/0123456789abcdef/nothing.js",
        "/packs/0123456789abcdef/-/nothing.js",
        "/packs/0123456789abcdef/..%2fapp.py",
        "/packs/0123456789abcdef/index.html",
        "/nothing",
    ],
)
def test_nothing_else_is_to_be_had(server: Server, path: str) -> None:
    answer = server.get(path)
    assert answer.status_code == 404
    assert set(answer.json()) == {"error"}


@pytest.mark.parametrize("path", ["/nothing", "/pages/<b>.js", "/api/runs/nothing"])
def test_a_browser_gets_a_page_about_it(server: Server, path: str) -> None:
    answer = server.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "Page not found" in answer.text
    assert "<b>" not in answer.text
    links = re.findall(r'<a href="/\w+">\w+</a>', server.get("/play").text)
    assert links
    assert re.findall(r'<a href="/\w+">\w+</a>', answer.text) == links
