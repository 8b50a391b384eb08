"""The site as `scripts/build.py` makes it, built once for a run of the tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NoReturn

import pytest
from playwright.sync_api import Browser, Playwright, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = (
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PATIENCE = 300.0
"""Seconds in which the site has to be built."""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the built site; parallel workers share what the first one builds."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    site, log = folder / "shared-site", folder / "shared-site.log"
    try:
        (folder / "shared-site.begun").mkdir()
    except FileExistsError:
        deadline = time.monotonic() + PATIENCE
        while not log.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
    else:
        said = build(site)
        whole = log.with_suffix(".part")
        whole.write_text(said, "utf-8")
        whole.rename(log)
    if not (site / "index.html").is_file():
        said = log.read_text("utf-8") if log.exists() else "another worker is still building it"
        pytest.fail("the site could not be built:\n" + said[-3000:], pytrace=False)
    return site.resolve()


def build(site: Path) -> str:
    """Build the site and return what was said about it."""
    command = [sys.executable, "scripts/build.py", "--site-dir", str(site)]
    try:
        done = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return f"the site took longer than {PATIENCE:g} seconds"
    return done.stdout + done.stderr


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the site is served, without a slash at the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(SimpleHTTPRequestHandler):
    """Serves files as a host of static pages does, with the site's own page for errors."""

    protocol_version = "HTTP/1.1"

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        body = Path(self.directory, "404.html").read_bytes()
        self.send_response(code, message)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def absent(reason: str) -> NoReturn:
    """Skip, but not where everything has to be there."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def launch(playwright: Playwright) -> Browser:
    """The system's Chromium, else the one that Playwright can install."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found:
        root = sys.platform == "linux" and os.geteuid() == 0
        return playwright.chromium.launch(
            executable_path=found, args=QUIET, chromium_sandbox=not root
        )
    if Path(playwright.chromium.executable_path).exists():
        return playwright.chromium.launch(args=QUIET)
    absent("no Chromium here; install one, or run: playwright install chromium")


# For one file of tests only: while Playwright runs, nothing else in the process can use asyncio.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        running = launch(playwright)
        yield running
        running.close()
