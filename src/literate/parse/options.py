"""The opening line of a fence: which language, which options, what is left of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from literate.document import BlockOptions
from literate.source import Span

__all__ = ["LANGUAGES", "OUTPUT", "Info", "Problem", "looks_executable", "read_info"]

LANGUAGES = frozenset({"python", "py", "python3"})
OUTPUT = "output"

_FLAGS = frozenset({"norun", "hide", "fold", "volatile"})
_VALUES = frozenset({"raises", "source", "alt", "caption", "id", "needs", "timeout"})
_SITE_OPTIONS = frozenset({"title", "linenums", "hl_lines"})
_ALLOWED = sorted(_FLAGS | {f'{name}="…"' for name in _VALUES | _SITE_OPTIONS})

_BRACES = re.compile(r"(?:(?P<lang>\.?[\w#+-]+)[ \t]+)?\{(?P<words>[^\n]*)\}[ \t]*\Z")
_PLAIN = re.compile(r"(?P<lang>\.?[\w#+.-]+)(?=[ \t]|\Z)(?P<words>[^\n]*)\Z")
_WORD = re.compile(
    r"""(?P<key>[A-Za-z_][\w-]*)=(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'"""
    r"""|(?P<bare>[^\s"'{}]+))(?=[ \t]|\Z)|(?P<flag>\S+)"""
)
_RESEMBLES = re.compile(r"[{. \t]*(?:code(?:-cell|-block)?[} \t]+)?(?:python3?|py)(?![\w-])", re.I)


@dataclass(frozen=True)
class Problem:
    """What is wrong with a word of the opening line, and how far into it."""

    offset: int
    what: str
    todo: str


@dataclass(frozen=True)
class Info:
    """A fence's opening line, read; a word that has a problem counts for nothing."""

    language: str
    options: BlockOptions
    problems: tuple[Problem, ...] = ()
    caption: Span | None = None


def looks_executable(info: str) -> bool:
    """Whether a reader would take a fence with this opening for one that runs."""
    return _RESEMBLES.match(info) is not None


def read_info(info: str) -> Info:
    """Read what follows a fence's marks on its opening line."""
    found = _BRACES.match(info) or _PLAIN.match(info)
    if found is None:
        return Info("", BlockOptions(info=info.strip()))
    braces = found.re is _BRACES
    language = (found["lang"] or "").removeprefix(".")
    ours: dict[str, Any] = {}
    site: list[str] = []
    problems: list[Problem] = []
    caption: Span | None = None
    for word in _WORD.finditer(found["words"]):
        if braces and not language and (word["flag"] or "").startswith("."):
            language = word["flag"].removeprefix(".")
            continue
        problem = _read_word(word, braces, ours, site)
        start = found.start("words")
        if problem:
            problems.append(replace(problem, offset=start + word.start()))
        elif word["key"] == "caption":
            group = next(name for name in ("double", "single", "bare") if word[name])
            caption = Span(start + word.start(group), start + word.end(group))
    language = language.lower()
    shown = _site_info(language, site, braces)
    return Info(language, BlockOptions(**ours, info=shown), tuple(problems), caption)


def _read_word(
    word: re.Match[str], braces: bool, ours: dict[str, Any], site: list[str]
) -> Problem | None:
    """Put one word where it belongs, or say what is wrong with it."""
    name = word["key"] or word["flag"]
    value = next((word[g] for g in ("double", "single", "bare") if word[g] is not None), None)
    if name in ours:
        return Problem(0, f"the option {name} stands twice", "keep one of them")
    if value is None and name in _FLAGS:
        ours[name] = True
    elif value is None and braces and name.startswith("."):
        site.append(name)
    elif value is None and braces and name.startswith("#"):
        ours["id"] = name.removeprefix("#")
    elif value is not None and name in _SITE_OPTIONS:
        site.append(word.group())
    elif name in _VALUES:
        return _read_value(name, value, ours)
    else:
        what = f"{name!r} is not an option of a block"
        return Problem(0, what, f"use one of {', '.join(_ALLOWED)}")
    return None


def _read_value(name: str, value: str | None, ours: dict[str, Any]) -> Problem | None:
    """Read the value of one of our own options."""
    if not value:
        return Problem(0, f"the option {name} needs a value", f'write {name}="…"')
    if name != "timeout":
        ours[name] = value
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        what = f"timeout={value!r} is not a number of seconds"
        return Problem(0, what, "write a number above 0, such as timeout=60")
    ours[name] = seconds
    return None


def _site_info(language: str, site: list[str], braces: bool) -> str:
    """The opening line as the site's own Markdown takes it."""
    if braces:
        return "{ " + " ".join([f".{language}", *site]) + " }"
    return " ".join([language, *site])
