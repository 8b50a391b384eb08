"""Which of a site's pages need more of its Markdown than MkDocs switches on by itself."""

from __future__ import annotations

import re
from collections.abc import Iterable

from markdown import Markdown
from mkdocs.config.defaults import MkDocsConfig

from literate import pipeline
from literate.errors import message

__all__ = ["unseen_blocks"]

_NEEDED = "pymdownx.superfences"
_BUNDLES = {_NEEDED, "pymdownx.extra"}
_PLAIN = re.compile(r"""\{.*\}|[\w#.+-]+(?:[ ]+hl_lines=(["'])[^\n]*?\1)?""")
"""What `fenced_code`, which MkDocs always has, knows behind a fence's backticks."""


def unseen_blocks(pages: Iterable[pipeline.Page], config: MkDocsConfig) -> list[str]:
    """Blocks that the site's Markdown would take for text, one message a page.

    `fenced_code` sees no fence that is indented or quoted, and none with options other
    than its own. What follows on the page may go wrong as well.
    """
    found = [problem for page in pages if (problem := _first(page))]
    return [] if not found or _BUNDLES & set(config.markdown_extensions) or _has(config) else found


def _first(page: pipeline.Page) -> str:
    document = page.chapter.document
    for block in document.blocks:
        options, inside = block.options, bool(block.fence.prefix)
        if options.hide or not (inside or not _PLAIN.fullmatch(options.info.strip())):
            continue
        what = "a block in a list, box or quote" if inside else f"a block with {options.info!r}"
        where = document.source.location(block.fence.opening.start)
        todo = f"add {_NEEDED} to markdown_extensions in mkdocs.yml"
        return message(where, f"{what} needs {_NEEDED}, which the site does not have", todo)
    return ""


def _has(config: MkDocsConfig) -> bool:
    """Whether an extension of another name brings it; this looks at what they all make."""
    made = Markdown(extensions=config.markdown_extensions, extension_configs=config.mdx_configs)
    return any(type(each).__module__ == _NEEDED for each in made.preprocessors)
