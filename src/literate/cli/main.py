"""The parser of the command line, and what becomes of errors."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from literate import pipeline
from literate.cli.commands import audit, check, diff, notebook, render, sync
from literate.cli.keeping import cache
from literate.cli.running import add_cache_folder, add_options, say
from literate.errors import ExitStatus, LiterateError

__all__ = ["main"]

_EPILOG = """\
exit status: 0 clean, 1 findings, 2 usage, 3 a block failed, 4 a fault of literate itself
"""
_DIFF = "say which numbers and outputs of the pages changed since a commit, running nothing"
_DIFF_EPILOG = """\
The answer is Markdown for a review: old and new number, place and expression, and the
outputs that differ. The new side is the working tree. Pages that git knows as renamed
are compared with what they were.

exit status: 0 whether or not something changed, 2 usage, 4 a fault of literate itself
"""
_REVISION = "the commit: a branch, a tag, HEAD~1, the beginning of an id"
_PATHS = "pages or folders of pages; by default the literate pages of mkdocs.yml's site"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the words after ``literate``; by default those of this process.

    Returns:
        The exit status.
    """
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    pipeline.end_on_request()
    try:
        return int(options.command(options))
    except LiterateError as error:
        say(f"literate: {error}")
        return error.status
    except KeyboardInterrupt:
        say("literate: interrupted")
        return 130
    except BrokenPipeError:
        # As a shell reports a program that wrote to a closed pipe.
        return 141
    except Exception:
        traceback.print_exc()
        say("literate: this is a fault of literate itself; please report it with the lines above")
        return ExitStatus.INTERNAL


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="literate",
        description="Run the code of Markdown chapters and hold their text against it.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", action="version", version=f"literate {version('attention-slowly')}"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    checking = _command(commands, "check", check, "run the pages and report what is not so")
    checking.add_argument("--diff", action="store_true", help="show what sync would change")
    checking.add_argument(
        "--twice", action="store_true", help="run them twice and name what differs"
    )
    checking.add_argument(
        "--format",
        choices=pipeline.FORMATS,
        default="text",
        help="text for people, github for annotations on a code host, json for programs",
    )
    syncing = _command(commands, "sync", sync, "write stale numbers, outputs and listings anew")
    syncing.add_argument("--diff", action="store_true", help="show the changes, write nothing")
    auditing = _command(commands, "audit", audit, "count the numbers that nobody checked")
    auditing.add_argument("--json", action="store_true", help="one JSON object for programs")
    differing = _command(commands, "diff", diff, _DIFF, revision=True)
    differing.epilog = _DIFF_EPILOG
    rendering = _command(commands, "render", render, "write the pages as plain Markdown")
    exporting = _command(commands, "notebook", notebook, "write the pages as executed notebooks")
    for command in (rendering, exporting):
        command.add_argument(
            "--out", type=Path, required=True, metavar="DIR", help="the folder to write to"
        )
    for running in (checking, syncing, rendering, exporting):
        add_options(running)
    _add_cache(commands)
    return parser


def _add_cache(commands: Any) -> None:
    keeping = _command(commands, "cache", cache, "say what the cache of results holds", paths=False)
    ways = keeping.add_mutually_exclusive_group()
    ways.add_argument("--info", action="store_true", help="say what it holds; the default")
    ways.add_argument("--prune", action="store_true", help="drop what is beyond its size")
    ways.add_argument("--clear", action="store_true", help="drop everything")
    add_cache_folder(keeping)


def _command(
    commands: Any,
    name: str,
    run: Callable[..., ExitStatus],
    summary: str,
    revision: bool = False,
    paths: bool = True,
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if revision:
        parser.add_argument("revision", metavar="REV", help=_REVISION)
    if paths:
        parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=_PATHS)
    parser.set_defaults(command=run)
    return parser
