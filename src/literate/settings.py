"""What a site and a page may set, with its defaults, read and refused with a reason."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import yaml
from yaml_env_tag import construct_env_tag

from literate.errors import UsageError, shortened

__all__ = ["Resource", "Settings", "Site", "find_site", "site_settings", "with_values"]

CONFIG = "mkdocs.yml"
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?B)\s*", re.I)
_UNITS = {"B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


@dataclass(frozen=True)
class Resource:
    """Something that not every build has: where it would be, and how to get it."""

    path: str
    how: str


@dataclass(frozen=True)
class Settings:
    """How pages run. A page's front matter overrides what the site sets.

    Attributes:
        timeout: seconds that one block may take.
        threads: threads that numerical libraries may use.
        memory: bytes that a page's processes may take; 0 for what there is.
        execute: False renders pages without running anything.
        preload: packages that are imported once for all pages; None for those of a few
            heavy ones that pages import.
        depends: files and folders that pages look at unseen, through other programs.
        jobs: pages that run at the same time; 0 for one a processor core.
        watch: folders whose change re-runs pages in the live preview.
        mathematics: whether formulas become MathML when the site is built.
        numbers: the page that lists every number, such as ``numbers.md``; none if empty.
        notebooks: the folder of the site that holds each page as a notebook; none if empty.
        install: what a notebook installs where it is run elsewhere: requirements for ``pip
            install``, with blanks between them.
        unbound: how many numbers nobody needs to check; more are a finding of ``audit``.
        resources: what blocks and claims may need, by name.
        cache: the folder of results, seen from the site's; none are kept if empty.
        cache_size: bytes beyond which results that were used longest ago are dropped.
    """

    timeout: float = 60.0
    threads: int = 1
    memory: int = 0
    execute: bool = True
    preload: tuple[str, ...] | None = None
    depends: tuple[str, ...] = ()
    jobs: int = 0
    watch: tuple[str, ...] = ("src",)
    mathematics: bool = False
    numbers: str = ""
    notebooks: str = ""
    install: str = ""
    unbound: int | None = None
    resources: Mapping[str, Resource] = field(default_factory=dict)
    cache: str = ".cache/literate"
    cache_size: int = 256 * 2**20


@dataclass(frozen=True)
class Site:
    """The site around the pages: its folder, where its Markdown is, its settings."""

    root: Path
    docs: Path
    settings: Settings = field(default_factory=Settings)

    @property
    def missing(self) -> dict[str, str]:
        """The resources that are not here, with how to get them."""
        resources = self.settings.resources.items()
        return {
            name: resource.how
            for name, resource in resources
            if not (self.root / resource.path).exists()
        }


def with_values(settings: Settings, values: Mapping[str, Any], where: str) -> Settings:
    """The settings with some of them replaced.

    Raises:
        UsageError: a name that is none, or a value of the wrong kind.
    """
    known = {item.name for item in fields(Settings)}
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if name not in known:
            todo = f"use one of {', '.join(sorted(known))}"
            raise UsageError(f"{where}: literate has no setting {name!r}", todo)
        chosen[name] = _value(name, value, where)
    return replace(settings, **chosen)


def _value(name: str, value: Any, where: str) -> Any:
    """Check one value and bring it into its form."""
    right, kind = _EXPECTED[name]
    if not right(value):
        what = f"{where}: {name}: {shortened(value)} is not {kind}"
        raise UsageError(what, "mend the setting")
    if name == "resources":
        return {key: Resource(**item) for key, item in value.items()}
    if name in {"memory", "cache_size"}:
        return _bytes(value)
    return tuple(value) if isinstance(value, list) else value


def _is_number(value: Any) -> bool:
    """Whether it is a number; Python counts booleans as such."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_whole(value: Any, least: int) -> bool:
    return _is_number(value) and isinstance(value, int) and value >= least


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(item, str) for item in value)


def _bytes(value: Any) -> int:
    """How many bytes a number, or a text such as ``2 GB``, means; -1 where it means none.

    >>> _bytes("1.5 MB"), _bytes(10), _bytes("much"), _bytes("9" * 400)
    (1572864, 10, -1, -1)
    """
    if _is_whole(value, 0):
        return int(value)
    match = _SIZE.fullmatch(value) if isinstance(value, str) else None
    try:
        return int(float(match[1]) * _UNITS[match[2].upper()]) if match else -1
    except OverflowError:
        return -1


def _are_resources(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(item, dict) and set(item) == {"path", "how"} and _are_texts(list(item.values()))
        for item in value.values()
    )


_EXPECTED: dict[str, tuple[Callable[[Any], bool], str]] = {
    "timeout": (lambda v: _is_number(v) and v > 0, "a number of seconds above 0"),
    "threads": (lambda v: _is_whole(v, 1), "a whole number above 0"),
    "jobs": (lambda v: _is_whole(v, 0), "a whole number, 0 for one a core"),
    "execute": (lambda v: isinstance(v, bool), "true or false"),
    "mathematics": (lambda v: isinstance(v, bool), "true or false"),
    "watch": (_are_texts, "a list of folders"),
    "memory": (lambda v: _bytes(v) >= 0, 'a size such as "2 GB", 0 for no limit'),
    "preload": (lambda v: v is None or _are_texts(v), "a list of packages"),
    "depends": (_are_texts, "a list of files and folders"),
    "cache": (lambda v: isinstance(v, str), "a folder, or empty for none"),
    "cache_size": (lambda v: _bytes(v) >= 0, 'a size such as "256 MB"'),
    "numbers": (lambda v: isinstance(v, str), "the path of a page"),
    "notebooks": (lambda v: isinstance(v, str), "the path of a folder below the site"),
    "install": (lambda v: isinstance(v, str), "requirements with blanks between them"),
    "unbound": (lambda v: v is None or _is_whole(v, 0), "a whole number"),
    "resources": (_are_resources, "a mapping of names to a path and how to get it"),
}


def find_site(start: Path) -> Site:
    """The site of the nearest ``mkdocs.yml`` in ``start`` or above, else of ``start``.

    Raises:
        UsageError: its settings cannot be read.
    """
    for folder in [start, *start.parents]:
        if (folder / CONFIG).is_file():
            return _site(folder)
    return Site(start, start, site_settings(start, {}))


def _site(root: Path) -> Site:
    path = root / CONFIG
    try:
        config = yaml.load(path.read_text("utf-8"), Loader=_Tolerant)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", "mend the file") from error
    config = config if isinstance(config, dict) else {}
    docs = root / str(config.get("docs_dir", "docs"))
    values = next(_plugin_values(config.get("plugins")), {})
    return Site(root, docs, site_settings(root, values))


def site_settings(root: Path, values: Mapping[str, Any]) -> Settings:
    """The settings of the plugin's entry, else of ``[tool.literate]``.

    Raises:
        UsageError: a name that is none, or a value of the wrong kind.
    """
    path = root / CONFIG
    if not values:
        values, path = _pyproject_values(root)
    return with_values(Settings(), values, str(path))


def _plugin_values(plugins: Any) -> Iterator[dict[str, Any]]:
    """The plugin's entry, where it has settings."""
    entries = plugins.items() if isinstance(plugins, dict) else []
    if isinstance(plugins, list):
        entries = [pair for entry in plugins if isinstance(entry, dict) for pair in entry.items()]
    for name, values in entries:
        if name == "literate" and values:
            yield values


def _pyproject_values(root: Path) -> tuple[dict[str, Any], Path]:
    path = root / "pyproject.toml"
    if not path.is_file():
        return {}, path
    try:
        table = tomllib.loads(path.read_text("utf-8")).get("tool", {}).get("literate", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}", "mend the file") from error
    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.literate is not a table", "mend the file")
    return table, path


class _Tolerant(yaml.SafeLoader):
    """Reads the environment as MkDocs does, and past its other tags (``!!python/name:``)."""


_Tolerant.add_multi_constructor("!", lambda loader, suffix, node: None)
_Tolerant.add_constructor("!ENV", construct_env_tag)
_Tolerant.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: None)
