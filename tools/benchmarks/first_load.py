"""Measure bytes and time until a new visitor can use a page, and the server's shutdown.

python -m tools.benchmarks.first_load [VISITS]
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

from tests.web.pages.conftest import ARGUMENTS, chromium
from tests.web.serving import put_finished_run, serving

# Each page, with the element that must be present before the page is usable.
PAGES = {
    "/play": "svg.board [role=gridcell]",
    "/analyse": "svg.board [role=gridcell]",
    "/watch": "main h1",
    "/learn": "svg.board [role=gridcell]",
    "/write": "main h1",
    "/friend": "main h1",
}


def visit(browser: Browser, address: str, usable: str) -> tuple[int, float]:
    """Open a page as a new visitor; return bytes, headers included, and milliseconds."""
    context = browser.new_context()
    page = context.new_page()
    sizes = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()))
    began = time.perf_counter()
    page.goto(address)
    page.locator(usable).first.wait_for()
    took = 1e3 * (time.perf_counter() - began)
    page.wait_for_load_state("networkidle")
    context.close()
    return sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes), took


def main(visits: int) -> None:
    """Visit every page several times, then stop the server."""
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {visits} visits a page")
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        put_finished_run(runs)
        with serving(runs) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
            for path, usable in PAGES.items():
                seen = [visit(browser, server.address + path, usable) for _ in range(visits)]
                sizes, times = zip(*seen, strict=True)
                print(
                    f"{path:<9} {max(sizes) / 1000:4.0f} KB   usable after {median(times):4.0f} ms, "
                    f"at most {max(times):4.0f} ms"
                )
            browser.close()
            began = time.perf_counter()
            server.end()
            print(f"the server ends in {time.perf_counter() - began:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
