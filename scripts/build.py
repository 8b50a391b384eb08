"""Run every chapter and build the site strictly.

The site is built into a folder beside the old one and takes its place at the end, so
that a build that fails or is interrupted leaves the old site as it was.

Exit status: 0 built; 1 findings; 2 wrong usage; 3 a block failed; 4 a fault of ours.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class UsageError(Exception):
    """A wish that cannot be met, in one sentence."""


def check_target(site: Path) -> None:
    """Refuse to put the site where something else stands."""
    if site == ROOT or site in ROOT.parents:
        raise UsageError(f"{site} holds the project itself; choose another folder")
    if not site.exists():
        return
    if not site.is_dir():
        raise UsageError(f"{site} is a file; choose another folder")
    if any(site.iterdir()) and not (site / "index.html").is_file():
        raise UsageError(f"{site} is not empty and no site; choose another folder")


def listen() -> list[int]:
    """Return a list that will hold the signals that ask this process to end."""
    asked: list[int] = []
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda signum, frame: asked.append(signum))
    return asked


def run_mkdocs(site: Path, asked: list[int]) -> int:
    """Build with ``mkdocs build --strict`` and return its exit status.

    What it says on stdout are errors, so all of it goes to stderr. A signal to end is
    handed on, so that no run of a chapter outlives this one.
    """
    command = [sys.executable, "-m", "mkdocs", "build", "--strict"]
    command += ["--config-file", str(ROOT / "mkdocs.yml"), "--site-dir", str(site)]
    environment = {"NO_MKDOCS_2_WARNING": "1", **os.environ}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=sys.stderr) as process:
        while not asked and process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(0.2)
        if asked:
            end(process)
            return 128 + asked[0]
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def end(process: subprocess.Popen[bytes]) -> None:
    """Interrupt a process, which lets it clean up; kill it if that takes long."""
    with contextlib.suppress(ProcessLookupError):
        if os.name == "nt":
            process.terminate()
        else:
            process.send_signal(signal.SIGINT)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()


def swap(new: Path, site: Path, attic: Path) -> None:
    """Put ``new`` where ``site`` is; what stood there goes to ``attic``."""
    if not site.exists():
        new.rename(site)
        return
    site.rename(attic)
    try:
        new.rename(site)
    except OSError:
        attic.rename(site)
        raise


def build(site: Path) -> int:
    """Build the site and return the exit status."""
    start = time.monotonic()
    check_target(site)
    asked = listen()
    site.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{site.name}-", dir=site.parent, ignore_cleanup_errors=True
    ) as folder:
        # A folder within the temporary one, since that is readable by its owner only.
        new = Path(folder, "new")
        status = run_mkdocs(new, asked)
        if status != 0:
            kept = f"; {site} is as it was" if site.exists() else ""
            how = "interrupted" if status > 128 else "failed"
            print(f"build: {how}{kept}", file=sys.stderr)
            return status
        swap(new, site, Path(folder, "old"))
    pages = sum(1 for page in site.rglob("*.html") if page.name != "404.html")
    seconds = time.monotonic() - start
    print(f"site: {site / 'index.html'}, {pages} pages, {seconds:.1f} s")
    return 0


def main(arguments: list[str] | None = None) -> int:
    """Build the site as the command line asks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--site-dir",
        type=Path,
        default=ROOT / "site",
        metavar="DIR",
        help="where the site goes (default: site, in the project's folder)",
    )
    options = parser.parse_args(arguments)
    try:
        if importlib.util.find_spec("mkdocs") is None:
            raise UsageError(f"{sys.executable} has no mkdocs: pip install -r requirements.txt")
        return build(options.site_dir.resolve())
    except UsageError as error:
        print(f"build: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"build: the site cannot be put in place: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
