"""The templates of a site's theme, compiled once and not at every build."""

from __future__ import annotations

import contextlib
import hashlib
import marshal
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import jinja2
from jinja2.bccache import Bucket, BytecodeCache
from jinja2.meta import find_referenced_templates
from mkdocs.theme import Theme

from literate import pipeline

__all__ = ["Templates"]

_INSTALLED = tuple(f"{Path(name).absolute()}{os.sep}" for name in (sys.prefix, sys.base_prefix))


class Templates(BytecodeCache):
    """What Jinja makes of templates, by their text and by all else that it is made from.

    Compiling Material's takes a third of the time in which MkDocs builds a small site.
    They stay in memory over the rebuilds of a preview, and beside the results of pages
    between builds.
    """

    def __init__(self) -> None:
        self._codes: dict[str, CodeType] = {}
        self._used: set[str] = set()
        self._kept: pipeline.Attachment | None = None
        self._maker, self._grown = "", False

    def open(self, kept: pipeline.Attachment | None) -> None:
        """Take what an earlier build kept.

        Args:
            kept: its file; None to keep them for this process only.
        """
        if self._codes:
            return
        self._kept = kept
        data = kept.read() if kept else None
        if data:
            # The file is what was written, and names the Python that wrote it.
            self._codes = marshal.loads(data)

    def use(self, environment: jinja2.Environment) -> None:
        """Have an environment take its templates from here, once nobody changes it any more."""
        maker = _maker(environment)
        if maker is not None:
            self._maker = maker
            environment.bytecode_cache = self

    def keep(self) -> None:
        """Write down what this build has used, if any of it is new."""
        if self._grown and self._kept:
            used = {name: self._codes[name] for name in sorted(self._used)}
            self._kept.write(marshal.dumps(used))
            self._grown = False

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if it is here."""
        name = self._name(bucket)
        bucket.code = self._codes.get(name)
        if bucket.code:
            self._used.add(name)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Take the code of a template that was compiled."""
        if bucket.code:
            name = self._name(bucket)
            self._codes[name] = bucket.code
            self._used.add(name)
            self._grown = True

    def _name(self, bucket: Bucket) -> str:
        return f"{self._maker} {bucket.key} {bucket.checksum}"

    def warm(self, theme: Theme) -> None:
        """Compile what pages will need ahead of time, where nothing was kept."""
        environment = theme.get_env()
        self.use(environment)
        if self._codes or environment.bytecode_cache is None:
            return
        waiting, seen = ["main.html", *sorted(theme.static_templates)], set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            # What is wrong with a template is said when it is used.
            with contextlib.suppress(jinja2.TemplateError, OSError, ValueError):
                environment.get_template(name)
                waiting += _references(environment, name)


def _references(environment: jinja2.Environment, name: str) -> Iterator[str]:
    assert environment.loader is not None
    text, _, _ = environment.loader.get_source(environment, name)
    yield from filter(None, find_referenced_templates(environment.parse(text)))


def _maker(environment: jinja2.Environment) -> str | None:
    """A digest of what decides what Jinja makes of a text; None where not all can be told.

    Jinja works out at once what a filter gives of a constant, and an extension may change
    whatever it likes. Those of installed packages are known by the versions of these.
    """
    parts: list[object] = [
        *environment.filters.values(),
        *environment.tests.values(),
        *map(type, environment.extensions.values()),
    ]
    if environment.finalize or callable(environment.autoescape):
        return None
    if not all(map(_is_installed, {_module(part) for part in parts})):
        return None
    words = [
        environment.block_start_string, environment.block_end_string,
        environment.variable_start_string, environment.variable_end_string,
        environment.comment_start_string, environment.comment_end_string,
        environment.line_statement_prefix, environment.line_comment_prefix,
        environment.trim_blocks, environment.lstrip_blocks, environment.newline_sequence,
        environment.keep_trailing_newline, environment.autoescape, environment.is_async,
        environment.sandboxed, environment.optimized, sorted(environment.extensions),
        sorted(environment.filters), sorted(environment.tests),
    ]  # fmt: skip
    return hashlib.sha256(repr(words).encode()).hexdigest()


def _module(part: object) -> str:
    return getattr(part, "__module__", None) or type(part).__module__


def _is_installed(module: str) -> bool:
    """Whether a module comes with Python or with an installed package."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return not file or str(Path(file).absolute()).startswith(_INSTALLED)
