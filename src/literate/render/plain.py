"""Markdown and image files that any renderer reads, with the computed results in it."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from literate.document import ClaimComment, CodeBlock, Document, FrontMatter, OutputBlock
from literate.render.absent import why_absent
from literate.results import BlockResult, ChapterResult, Rich
from literate.svg import for_file

__all__ = ["Plain", "code", "plain"]

_MARKUP = re.compile(r"[\\`*_<>\[\]&]")
_TICKS = re.compile(r"`+")

_IMAGES = {"image/svg+xml": "svg", "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif"}


@dataclass(frozen=True)
class Plain:
    """A page's Markdown, and its image files by their paths beside it."""

    markdown: str
    files: dict[str, bytes] = field(default_factory=dict)


def plain(document: Document, result: ChapterResult) -> Plain:
    """The page as plain Markdown: our options, comments and settings taken out."""
    return _Writer(document, result).page()


def code(
    document: Document, block: CodeBlock, result: ChapterResult, word: str = ""
) -> tuple[str, str]:
    """The block's fence with what its options leave for the site's highlighter, and its code.

    Args:
        document: the page.
        block: one of its blocks.
        result: what the page gave; a listing is shown as its source has it.
        word: what stands in the fence instead of the code, if anything does.
    """
    outcome = result.blocks.get(block.index)
    text = block.code
    if outcome and outcome.listing is not None:
        text = outcome.listing
    fence, newline = block.fence, document.source.newline
    opening = f"{fence.prefix}{fence.mark}{block.options.info}{newline}"
    body = _indent(word or text, fence.prefix, newline) if word or text else ""
    closing = document.source.text[fence.body.end : block.span.end]
    return opening + body + closing, text


class _Writer:
    def __init__(self, document: Document, result: ChapterResult) -> None:
        self.document = document
        self.result = result
        self.newline = document.source.newline
        self.folder = PurePosixPath(document.source.path).stem + "-figures"
        self.pieces: list[str] = []
        self.files: dict[str, bytes] = {}

    def page(self) -> Plain:
        for node in self.document.nodes:
            if isinstance(node, CodeBlock):
                self.block(node)
            elif isinstance(node, OutputBlock) and node.block is not None:
                block = self.document.blocks[node.block]
                if block.options.keeps_output:
                    self.output(block, node)
            elif not isinstance(node, ClaimComment | FrontMatter):
                self.pieces.append(self.document.source.slice(node.span))
        return Plain("".join(self.pieces), self.files)

    def block(self, block: CodeBlock) -> None:
        if block.options.hide:
            return
        fence, _ = code(self.document, block, self.result)
        self.pieces.append(fence)
        if block.options.norun or block.index in self.document.outputs:
            return
        outcome = self.result.blocks.get(block.index)
        if outcome is None or outcome.failure:
            why = self.why(block, outcome)
            if why:
                self.note(block, f"No result: {why}.")
            return
        if outcome.text.strip():
            self.blank(block)
            self.fence(block, outcome.text)
        self.rich(block, outcome)

    def output(self, block: CodeBlock, output: OutputBlock) -> None:
        """The output block: computed where it was, else as it stands, which is said."""
        outcome = self.result.blocks.get(block.index)
        if outcome is None or outcome.failure:
            why = self.why(block, outcome)
            self.note(block, f"Not from this run: {why}." if why else "Not from this run:")
            self.blank(block)
            self.fence(block, output.text)
            return
        if outcome.text.strip():
            self.fence(block, outcome.text)
        self.rich(block, outcome)

    def why(self, block: CodeBlock, outcome: BlockResult | None) -> str:
        """Why a block has no result; empty where nobody asked for one."""
        if outcome is None:
            return why_absent(self.document, self.result, block)
        return "this block failed"

    def note(self, block: CodeBlock, text: str) -> None:
        """A sentence of the engine's own, in the block's container."""
        written = _MARKUP.sub(r"\\\g<0>", " ".join(text.split()))
        if "".join(self.pieces[-1:]).strip("> \t\r\n"):
            self.blank(block)
        self.pieces.append(f"{block.fence.prefix}*{written}*{self.newline}")

    def fence(self, block: CodeBlock, text: str) -> None:
        """A text as a fenced block in the block's container."""
        longest = max(map(len, _TICKS.findall(text)), default=0)
        mark = "`" * max(3, longest + 1)
        prefix = block.fence.prefix
        body = _indent(text.rstrip(), prefix, self.newline)
        opening, closing = f"{prefix}{mark}text{self.newline}", f"{prefix}{mark}{self.newline}"
        self.pieces += [opening, body, closing]

    def rich(self, block: CodeBlock, outcome: BlockResult) -> None:
        """Pictures as files and links, HTML as it is, then the caption."""
        for number, item in enumerate(outcome.rich):
            self.blank(block)
            text = item.data.get("text/html") or self.image(block, item, number)
            self.pieces.append(_indent(text.strip("\n"), block.fence.prefix, self.newline))
        if outcome.rich and block.options.caption:
            self.blank(block)
            self.pieces.append(f"{block.fence.prefix}*{block.options.caption}*{self.newline}")

    def image(self, block: CodeBlock, item: Rich, number: int) -> str:
        media = next(name for name in _IMAGES if name in item.data)
        name = f"{block.options.id or f'block-{block.index}'}-{number}.{_IMAGES[media]}"
        data = item.data[media]
        svg = media == "image/svg+xml"
        path = f"{self.folder}/{name}"
        self.files[path] = for_file(data).encode() if svg else base64.b64decode(data)
        alt = block.options.alt.replace("[", "(").replace("]", ")")
        return f"![{alt}]({path})"

    def blank(self, block: CodeBlock) -> None:
        ended = "".join(self.pieces[-1:]).endswith(("\n", "\r"))
        self.pieces += [] if ended else [self.newline]
        self.pieces.append(block.fence.prefix.rstrip() + self.newline)


def _indent(text: str, prefix: str, newline: str) -> str:
    lines = (prefix + line if line else prefix.rstrip() for line in text.split("\n"))
    return "".join(line + newline for line in lines)
