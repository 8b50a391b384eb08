"""The YAML at the top of a page, and what it says to `literate`."""

from __future__ import annotations

import re
from typing import Any

import yaml

from literate.document import FrontMatter
from literate.errors import Finding, shortened
from literate.source import Location, Source, Span

__all__ = ["opt_in_place", "read_front_matter"]

_FRONT = re.compile(
    # Atomic: a carriage return with its line feed must not also be read as two line ends.
    r"---[ \t]*(?>\r\n|\n|\r)(?P<yaml>(?:[^\r\n]*(?>\r\n|\n|\r))*?)"
    r"(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)"
)
_OPT_IN = re.compile(r"^literate[ \t]*:", re.M)
_PAGE_SETTINGS = frozenset(
    {"timeout", "threads", "memory", "preload", "depends", "execute", "notebooks"}
)


def read_front_matter(
    source: Source,
) -> tuple[FrontMatter | None, dict[str, Any] | None, list[Finding]]:
    """Read the front matter: its node, the page's settings, and what is wrong.

    The settings are None for a page that does not opt in with ``literate: true``
    or a mapping.
    """
    found = _FRONT.match(source.text)
    if found is None:
        return None, None, []
    span = Span(*found.span())
    try:
        values = yaml.safe_load(found["yaml"])
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        # A page that means to opt in must not drop out because of a slip elsewhere.
        means_to = re.search(r"^literate[ \t]*:(?![ \t]*false)", found["yaml"], re.M)
        finding = _yaml_finding(source, found.start("yaml"), error)
        return FrontMatter(span, {}), {} if means_to else None, [finding]
    if not isinstance(values, dict):
        return None, None, []
    settings, findings = _opt_in(source, values)
    return FrontMatter(span, values), settings, findings


def _yaml_finding(source: Source, start: int, error: Exception) -> Finding:
    mark = getattr(error, "problem_mark", None)
    where = source.location(start + mark.index if mark else start)
    reason = getattr(error, "problem", None) or str(error) or "it cannot be read"
    what = f"this front matter is not YAML: {reason}"
    return Finding(where, "front-matter", what, "put the YAML right")


def opt_in_place(source: Source) -> Location:
    """Where the page's own settings stand."""
    found = _OPT_IN.search(source.text)
    return source.location(found.start() if found else 0)


def _opt_in(source: Source, values: dict[str, Any]) -> tuple[dict[str, Any] | None, list[Finding]]:
    chosen = values.get("literate", False)
    if chosen is None or chosen is False:
        return None, []
    if chosen is True:
        return {}, []
    where = opt_in_place(source)
    if not isinstance(chosen, dict):
        what = f"literate: {shortened(chosen)} is neither true nor a mapping of settings"
        return {}, [Finding(where, "front-matter", what, "write literate: true")]
    unknown = [key for key in chosen if key not in _PAGE_SETTINGS]
    findings = [
        Finding(
            where,
            "unknown-setting",
            f"a page has no setting {key!r}",
            f"use one of {', '.join(sorted(_PAGE_SETTINGS))}",
        )
        for key in unknown
    ]
    known = {key: value for key, value in chosen.items() if key not in unknown}
    return known, findings
