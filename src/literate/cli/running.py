"""What the commands that run pages have in common."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from literate import pipeline
from literate.errors import UsageError
from literate.pipeline import Chapter, Page, Site

__all__ = ["add_options", "chosen_site", "run_pages", "say"]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that runs pages."""
    parser.add_argument("--fresh", action="store_true", help="run also what the cache has")
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="pages at the same time; by default one a core"
    )
    parser.add_argument(
        "--shard", metavar="I/N", help="only the I-th of N parts of the pages, by their names"
    )
    add_cache_folder(parser)


def add_cache_folder(parser: argparse.ArgumentParser) -> None:
    """Add the option that says where the cache is."""
    parser.add_argument(
        "--cache-dir", type=Path, metavar="DIR", help="the cache; by default that of the settings"
    )


def chosen_site(options: argparse.Namespace) -> Site:
    """The site of the working folder, with what the command line says otherwise.

    Raises:
        UsageError: a setting cannot be read, or an option means nothing.
    """
    site = pipeline.find_site(Path.cwd())
    settings = site.settings
    if options.cache_dir:
        settings = replace(settings, cache=str(options.cache_dir.absolute()))
    jobs = getattr(options, "jobs", None)
    if jobs is not None:
        if jobs < 1:
            raise UsageError(f"--jobs {jobs} runs no page", "give a number above 0")
        settings = replace(settings, jobs=jobs)
    return replace(site, settings=settings)


def run_pages(options: argparse.Namespace, fresh: bool = False) -> list[Page]:
    """Run the pages that the command names, with progress on stderr."""
    site = chosen_site(options)
    chapters = _part(pipeline.find_chapters(options.paths, site), options.shard)
    progress = pipeline.Progress(say)
    if getattr(options, "twice", False):
        return pipeline.run_twice(chapters, site, progress)
    return pipeline.run_chapters(chapters, site, progress, options.fresh or fresh)


def _part(chapters: Sequence[Chapter], shard: str | None) -> list[Chapter]:
    """Every N-th page by name, from the I-th on; the order stays."""
    if shard is None:
        return list(chapters)
    match = re.fullmatch(r"(\d+)/(\d+)", shard)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"--shard {shard} is no part", "write 1/4 for the first of four parts")
    names = sorted(chapter.document.source.path for chapter in chapters)
    mine = set(names[int(match[1]) - 1 :: int(match[2])])
    return [chapter for chapter in chapters if chapter.document.source.path in mine]


def say(text: str) -> None:
    """Say something on stderr, at once."""
    print(text, file=sys.stderr, flush=True)
