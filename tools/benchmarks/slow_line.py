"""Measure page loads on a slow connection: 400 ms per request, and 50 KB a second.

    python -m tools.benchmarks.slow_line [VISITS]

Each page is opened by a new visitor, then again. Play is also loaded file by file, without bundles, to show what
bundles save.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright

from tests.web.pages.conftest import ARGUMENTS, chromium
from tests.web.serving import put_finished_run, serving
from tools.benchmarks.first_load import PAGES

LATENCY_MS = 400
BYTES_PER_S = 50_000
FILE_BY_FILE = "/pages/index.html"


class Visit:
    """A visitor on such a connection.

    Attributes:
        page: The browser page.
        requests: The number of requests answered over the connection.
        size: The bytes received, without headers.
    """

    def __init__(self, browser: Browser) -> None:
        self._context = browser.new_context()
        self.page: Page = self._context.new_page()
        line = self._context.new_cdp_session(self.page)
        line.send("Network.enable")
        line.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": LATENCY_MS,
                "downloadThroughput": BYTES_PER_S,
                "uploadThroughput": BYTES_PER_S,
            },
        )
        self.requests, self.size = 0, 0
        line.on("Network.loadingFinished", lambda event: self._count(event["encodedDataLength"]))

    def _count(self, size: int) -> None:
        self.requests += size > 0
        self.size += size

    def open(self, address: str, usable: str) -> tuple[float, int, int]:
        """Open a page; return the seconds until it is usable, then requests and bytes until it is complete."""
        self.requests, self.size = 0, 0
        began = time.perf_counter()
        self.page.goto(address, wait_until="commit")
        self.page.locator(usable).first.wait_for()
        took = time.perf_counter() - began
        self.page.wait_for_load_state("networkidle")
        return took, self.requests, self.size

    def close(self) -> None:
        """Clear the cache."""
        self._context.close()


def tell(name: str, seen: list[tuple[float, int, int]]) -> None:
    """Print a line about some visits."""
    times, requests, sizes = zip(*seen, strict=True)
    print(
        f"{name:<26} usable after {median(times):.1f} s, at most {max(times):.1f} s   "
        f"{max(requests):2d} requests, {max(sizes) / 1000:3.0f} KB"
    )


def main(visits: int) -> None:
    """Visit every page several times."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {visits} visits a page")
    with tempfile.TemporaryDirectory() as folder:
        put_finished_run(Path(folder))
        with serving(Path(folder)) as server, sync_playwright() as playwright:
            server.get("/api/agents").raise_for_status()
            browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
            for path, usable in {**PAGES, FILE_BY_FILE: PAGES["/play"]}.items():
                first, again = [], []
                for _ in range(visits):
                    visit = Visit(browser)
                    first.append(visit.open(server.address + path, usable))
                    again.append(visit.open(server.address + path, usable))
                    visit.close()
                name = "/play file by file" if path == FILE_BY_FILE else path
                tell(name, first)
                tell(f"{name}, again", again)
            browser.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
