"""Puts code back where it stood, behind all plugins and before the site's Markdown.

Plugins that fill in text (macros, includes, snippets) would do so inside code as well.
So code travels as a word on a line of its own, and becomes code again when nothing but
the fences is left to be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

__all__ = ["CodeExtension"]

_LINE = re.compile(r"(?P<prefix>[> \t]*)(?P<word>literate-code-[\w-]+)\s*")

_BEHIND_SNIPPETS = 31.08
"""Snippets are filled in at 32; whatever looks for fences does so below 31.08."""


class CodeExtension(Extension):  # type: ignore[misc]  # comes without types
    """Replaces lines that hold a word of ``codes`` by the code that it stands for."""

    def __init__(self, codes: Mapping[str, str]) -> None:
        super().__init__()
        self._codes = codes

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802  # Python-Markdown's name
        """Register with Python-Markdown."""
        md.preprocessors.register(_Restore(md, self._codes), "literate-code", _BEHIND_SNIPPETS)


class _Restore(Preprocessor):  # type: ignore[misc]
    def __init__(self, md: Markdown, codes: Mapping[str, str]) -> None:
        super().__init__(md)
        self._codes = codes

    def run(self, lines: list[str]) -> list[str]:
        restored: list[str] = []
        for line in lines:
            found = _LINE.fullmatch(line)
            if found and found["word"] in self._codes:
                prefix, code = found["prefix"], self._codes[found["word"]]
                texts = code.split("\n")
                restored += [prefix + text if text else prefix.rstrip() for text in texts]
            else:
                restored.append(line)
        return restored
