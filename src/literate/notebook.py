"""A document and its results to an executed Jupyter notebook; pure.

Prose becomes Markdown cells, comments and all. Blocks become code cells with the
outputs that the page shows. What only the site's Markdown knows is put into words
that every notebook reader knows: an admonition or a tab becomes a bold line with its
content below, a footnote a link to a numbered line.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from literate.document import (
    ClaimComment,
    CodeBlock,
    Comment,
    Document,
    FrontMatter,
    Listing,
    Node,
    OutputBlock,
    Prose,
)
from literate.notebook_prose import Piece, unboxed
from literate.results import BlockResult, ChapterResult, Rich, Text
from literate.svg import UnreadableSvgError, for_page

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["notebook"]

_FOOTNOTE = re.compile(r"\[\^(?P<name>[^\]\s]+)\](?P<colon>:?)")
_LINE_END = re.compile(r"[\r\n]")
_DOLLAR = re.compile(r"(?<!\\)\$")
_LINK = re.compile(
    r"(?P<before>\]\(<?|^ {0,3}\[(?!\^)[^\]]+\]:[ \t]+<?)(?P<target>[^)\s>]+)", re.MULTILINE
)


def notebook(
    document: Document,
    result: ChapterResult,
    install: str = "",
    resolve: Callable[[str], str] = lambda target: target,
) -> str:
    """The page as a notebook's JSON.

    Args:
        document: the page.
        result: what its blocks gave.
        install: what ``pip install`` needs to be told where the page's imports are not
            there, as requirements with blanks between them.
        resolve: the target of a link as it is to stand in the notebook.
    """
    # These take longer to import than the rest of the package, and few runs need them.
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    cells = list(_Writer(document, result, resolve).cells())
    setup = _setup(_needed(document), install)
    if setup:
        cells.insert(0, new_code_cell(setup, metadata={"tags": ["install"]}))
    for number, cell in enumerate(cells):
        # Random ids would differ from build to build.
        cell["id"] = f"cell-{number}"
    language = {"name": "python", "version": result.versions.get("python", "3")}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": language})
    nbformat.validate(book)
    return f"{nbformat.writes(book)}\n"


def _needed(document: Document) -> list[str]:
    """The packages that the page imports, but for Python's own, in order of use."""
    names: dict[str, None] = {}
    for block in document.blocks:
        if not block.options.norun:
            source = block.options.source
            found = [source.split(".")[0]] if source else list(_imports(block.code))
            names |= dict.fromkeys(found)
    return [name for name in names if name not in sys.stdlib_module_names]


def _imports(code: str) -> Iterator[str]:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (item.name.split(".")[0] for item in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module.split(".")[0]


def _setup(needed: list[str], install: str) -> str:
    """The first cell: where an import is missing, install it or say what to do."""
    if not needed:
        return ""
    words = " ".join(f'"{word}"' for word in install.split())
    todo = f"%pip install --quiet {words}"
    if not words:
        where = "the project that this notebook belongs to"
        todo = f'raise ImportError(f"install {{missing}} first, from {where}")'
    return (
        "# Run elsewhere, this notebook needs its packages first.\n"
        "from importlib.util import find_spec\n\n"
        f"needed = {needed!r}\n"
        "missing = [name for name in needed if find_spec(name) is None]\n"
        f"if missing:\n    {todo}"
    )


class _Writer:
    def __init__(
        self, document: Document, result: ChapterResult, resolve: Callable[[str], str]
    ) -> None:
        self.document = document
        self.result = result
        self.resolve = resolve
        self.footnotes: dict[str, int] = {}

    def cells(self) -> Iterator[NotebookNode]:
        prose: list[Piece] = []
        count, depth = 0, 0
        for node in self.document.nodes:
            if isinstance(node, CodeBlock) and not node.options.norun:
                yield from self.markdown(prose, depth)
                prose, depth = [], len(node.fence.prefix) // 4
                count += node.options.needs not in self.result.missing
                yield from self.code(node, count)
            elif not isinstance(node, FrontMatter | OutputBlock) or _is_orphan(node):
                text = self.document.source.slice(node.span)
                text = self.links(text, node.span.start) if isinstance(node, Prose) else text
                prose.append((text, _lines_as_they_are(node)))
        yield from self.markdown(prose, depth)

    def markdown(self, pieces: list[Piece], depth: int) -> Iterator[NotebookNode]:
        from nbformat.v4 import new_markdown_cell

        text = unboxed(pieces, depth).strip("\n")
        if text.strip():
            yield new_markdown_cell(text)

    def links(self, text: str, start: int) -> str:
        """Prose with footnotes as links to numbered lines, links resolved, and no formula.

        Args:
            text: the prose.
            start: where it begins in the page.
        """
        text = _DOLLAR.sub(r"\\$", text)
        text = _LINK.sub(lambda found: found["before"] + self.resolve(found["target"]), text)
        within = start > 0 and self.document.source.text[start - 1] not in "\r\n"
        return _FOOTNOTE.sub(lambda found: self.footnote(found, within), text)

    def footnote(self, found: re.Match[str], within: bool) -> str:
        """A footnote's mark; ``within`` says that the text goes on with a line of the page."""
        name = found["name"]
        number = self.footnotes.setdefault(name, len(self.footnotes) + 1)
        before = _LINE_END.split(found.string[: found.start()])
        whole = not before[-1].strip() and not (within and len(before) == 1)
        if found["colon"] and whole:
            return f'<a id="footnote-{name}"></a>**[{number}]**'
        return f"[[{number}]](#footnote-{name}){found['colon']}"

    def code(self, block: CodeBlock, count: int) -> Iterator[NotebookNode]:
        from nbformat.v4 import new_code_cell, new_markdown_cell

        options = block.options
        outcome = self.result.blocks.get(block.index)
        how = self.result.missing.get(options.needs)
        if how is not None:
            note = f"*Not run: it needs {options.needs}; {how}.*"
            yield new_markdown_cell(f"```python\n{block.code}\n```\n\n{note}")
            return
        tags = [name for name in ("hide", "fold", "volatile") if getattr(options, name)]
        # Elsewhere the resource may not be there, which should end no run of the notebook.
        tags += ["raises-exception"] if options.raises or options.needs else []
        metadata: dict[str, Any] = {"tags": tags} if tags else {}
        code = block.code
        if options.source:
            listing = outcome.listing if outcome else None
            yield new_markdown_cell(f"```python\n{listing or code}\n```")
            code = outcome.imported if outcome else ""
        if options.hide or options.fold:
            metadata["jupyter"] = {"source_hidden": True}
        outputs = list(_outputs(block, outcome, count)) if outcome and not options.hide else []
        yield new_code_cell(code, execution_count=count, outputs=outputs, metadata=metadata)
        if options.caption and outputs:
            yield new_markdown_cell(f"*{options.caption}*")


def _is_orphan(node: Node) -> bool:
    """Whether it is an output block that belongs to no block, and so is plain text."""
    return isinstance(node, OutputBlock) and node.block is None


def _lines_as_they_are(node: Node) -> int | None:
    """From which of its lines on a node is no Markdown; None for Markdown.

    A comment may begin in a line of prose; code has its lines to itself.
    """
    if isinstance(node, Listing | OutputBlock | CodeBlock):
        return 0
    return 1 if isinstance(node, Comment | ClaimComment) else None


def _outputs(block: CodeBlock, outcome: BlockResult, count: int) -> Iterator[NotebookNode]:
    """The outputs of a cell, in the order in which they came."""
    from nbformat.v4 import new_output

    for number, part in enumerate(outcome.parts):
        if isinstance(part, Text):
            yield new_output("stream", name="stdout", text=part.text)
        else:
            data = _data(part, block.options.alt, f"figure-{count}-{number}-")
            # A dark notebook puts something light behind what is drawn in black.
            light = {"needs_background": "light"} if part.is_figure else {}
            metadata = {name: light for name in data if light and name.startswith("image/")}
            yield new_output("display_data", data=data, metadata=metadata)
    if outcome.raised:
        name, _, words = outcome.raised.partition(":")
        yield new_output(
            "error",
            ename=name.rsplit(".", 1)[-1],
            evalue=words.strip(),
            traceback=[outcome.raised],
        )


def _data(rich: Rich, alt: str, prefix: str) -> dict[str, str]:
    """A rich result by media type, with words for those who cannot see it."""
    shown = {name: text for name, text in rich.data.items() if "/x-" not in name}
    if "image/svg+xml" in shown and rich.is_figure:
        try:
            shown["image/svg+xml"] = for_page(shown["image/svg+xml"], prefix, alt)
        except UnreadableSvgError:
            del shown["image/svg+xml"]
    return {"text/plain": alt or "<figure>", **shown}
