"""From raw blocks to the `Document`: pairs, findings, and nodes without gaps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from literate.document import (
    ClaimComment,
    CodeBlock,
    CodeSpan,
    Comment,
    Document,
    Fence,
    Formula,
    Heading,
    Listing,
    Node,
    OutputBlock,
    Prose,
)
from literate.errors import Finding
from literate.parse.binding import Above
from literate.parse.claims import Place, read_comment
from literate.parse.frontmatter import read_front_matter
from literate.parse.inline import RawInline, pieces_of, scan_inline, without_comments
from literate.parse.lines import Container
from literate.parse.options import LANGUAGES, OUTPUT, Info, looks_executable, read_info
from literate.parse.patterns import FENCE, has_id, is_table_rule
from literate.parse.raw import RawComment, RawFence, RawListing, RawText
from literate.parse.structure import scan
from literate.source import Source, Span

__all__ = ["parse"]

_UNREAD = re.compile(r"<!---*\s*(?:=|assert|cite|above)", re.I)
_MISPLACED = {
    "marker": (
        "a fence on a list marker's own line is no block to the site's Markdown",
        "put it below, behind a blank line, indented by four",
    ),
    "indented": (
        "a fence indented by less than four columns is no block to the site's Markdown",
        "indent it by nothing, or by four inside a list",
    ),
    "adjacent": (
        "a fence right behind indented code is no block to the site's Markdown",
        "put a blank line between them",
    ),
    "backtick": (
        "a backtick on the opening line of a fence of backticks makes inline code of it",
        "open and close the block with ~~~",
    ),
    "listing": (
        "a fence indented by four in no list, admonition or tab is indented code",
        "indent it by nothing, or put a blank line before its list",
    ),
}


def parse(source: Source) -> Document:
    """Read a chapter.

    Never raises: what is wrong with the page is in the document's ``findings``,
    each with its place, and everything else is read all the same.
    """
    front, settings, findings = read_front_matter(source)
    reader = _Reader(source, findings)
    start = front.span.end if front else 0
    nodes: list[Node] = [front] if front else []
    if settings is None:
        nodes += [Prose(Span(start, len(source.text)))]
    else:
        nodes += reader.nodes(start)
    filled = tuple(_fill(nodes, len(source.text)))
    return Document(source, filled, settings, tuple(reader.findings), tuple(reader.headings))


def _fill(nodes: list[Node], end: int) -> Iterator[Node]:
    """Put prose into the gaps between nodes, and drop empty ones."""
    position = 0
    for node in nodes:
        if node.span.start > position:
            yield Prose(Span(position, node.span.start))
        if len(node.span):
            yield node
        position = max(position, node.span.end)
    if position < end:
        yield Prose(Span(position, end))


class _Reader:
    """Turns raw blocks into nodes, keeping the block that an output may follow."""

    def __init__(self, source: Source, findings: list[Finding]) -> None:
        self.source = source
        self.findings = findings
        self.blocks = 0
        self.claims = 0
        self.bound: set[int] = set()
        self.region = self.new_region(())
        self.headings: list[Heading] = []
        self.unnamed: set[int] = set()
        self.above: tuple[CodeBlock, tuple[Container, ...]] | None = None

    def nodes(self, start: int) -> list[Node]:
        nodes: list[Node] = []
        for item in scan(self.source.text, start):
            if isinstance(item, RawFence):
                nodes.append(self.fence(item))
                self.region = self.new_region(())
                continue
            self.above = None
            if isinstance(item, RawListing):
                nodes.append(Listing(item.span))
            elif isinstance(item, RawComment):
                nodes.append(self.block_comment(item))
            else:
                nodes += self.text(item)
        return nodes

    def find(self, offset: int, rule: str, what: str, todo: str) -> None:
        self.findings.append(Finding(self.source.location(offset), rule, what, todo))

    def fence(self, raw: RawFence) -> Node:
        """A block that runs, an output block, or a listing; findings on the way."""
        line = self.source.slice(raw.info)
        info = read_info(line.strip())
        above, self.above = self.above, None
        if info.language not in LANGUAGES and info.language != OUTPUT:
            if looks_executable(line) and raw.place != "backtick":
                what = f"a fence opened with {line.strip()!r} would not run"
                self.find(_mark(raw), "not-executable", what, "write python and its options")
            return Listing(raw.span)
        if raw.place or not raw.closed or len(raw.mark) != _closing_length(self.source, raw):
            self.refuse(raw)
            return Listing(raw.span)
        if info.language == OUTPUT:
            return self.output(raw, info, above)
        return self.block(raw, info)

    def refuse(self, raw: RawFence) -> None:
        """Say why a fence of ours is none to the site's Markdown."""
        if raw.place:
            self.find(_mark(raw), "misplaced-fence", *_MISPLACED[raw.place])
        elif not raw.closed:
            what = f"this fence is never closed by {raw.mark} in its container"
            self.find(_mark(raw), "unclosed-fence", what, "close it")
        else:
            what = "this fence is closed by a longer one, which the site's Markdown reads on over"
            self.find(_mark(raw), "unclosed-fence", what, f"close it with {raw.mark}")

    def block(self, raw: RawFence, info: Info) -> CodeBlock:
        shift = len(self.source.slice(raw.info)) - len(self.source.slice(raw.info).lstrip())
        for problem in info.problems:
            at = raw.info.start + shift + problem.offset
            self.find(at, "block-option", problem.what, problem.todo)
        caption, comments = self.caption(raw, shift, info)
        block = CodeBlock(
            span=raw.span,
            fence=_fence(raw),
            code=raw.code,
            options=replace(info.options, caption=without_comments(info.options.caption)),
            location=self.source.location(_mark(raw)),
            index=self.blocks,
            caption=caption,
            comments=comments,
        )
        self.blocks += 1
        self.above = (block, raw.containers)
        return block

    def caption(
        self, raw: RawFence, shift: int, info: Info
    ) -> tuple[Span | None, tuple[ClaimComment, ...]]:
        """Where the caption stands, and the claims in it."""
        if info.caption is None:
            return None, ()
        start = raw.info.start + shift
        span = Span(start + info.caption.start, start + info.caption.end)
        comments = [
            self.comment(item.span, span.start)
            for item in scan_inline(self.source.text, span)
            if item.kind == "comment"
        ]
        return span, tuple(node for node in comments if isinstance(node, ClaimComment))

    def output(
        self, raw: RawFence, info: Info, above: tuple[CodeBlock, tuple[Container, ...]] | None
    ) -> OutputBlock:
        for problem in info.problems[:1]:
            at = raw.info.start + problem.offset
            self.find(at, "block-option", "an output block takes no options", "remove them")
        block = above[0] if above and above[1] == raw.containers else None
        if block is None:
            what = "no block of code stands right above this output in the same container"
            self.find(_mark(raw), "orphan-output", what, "remove it, or move it below its block")
        return OutputBlock(
            span=raw.span,
            fence=_fence(raw),
            text=raw.code,
            location=self.source.location(_mark(raw)),
            block=block.index if block else None,
        )

    def block_comment(self, raw: RawComment) -> Node:
        if not raw.closed:
            self.find(raw.span.start, "unclosed-comment", "this comment is never closed", "add -->")
            return Comment(raw.span)
        return self.comment(raw.span, raw.span.start)

    def comment(self, span: Span, left: int, in_table: bool = False) -> Comment | ClaimComment:
        place = Place(
            self.source, span, left, self.claims, self.region, self.bound, in_table=in_table
        )
        reading = read_comment(place)
        self.findings += reading.findings
        self.claims += len(reading.claims)
        return ClaimComment(span, reading.claims) if reading.claims else Comment(span)

    def text(self, raw: RawText) -> Iterator[Node]:
        """The nodes inside a paragraph, heading, table or list item."""
        region = Span(raw.lines[0].start, raw.lines[-1].end)
        self.heading(raw)
        self.hidden_fences(raw)
        in_table = len(raw.lines) > 1 and is_table_rule(self.source.slice(raw.lines[1]))
        items = list(scan_inline(self.source.text, region))
        for item in items:
            node = self.inline(item, region, in_table)
            if isinstance(node, ClaimComment) and raw.lines[0].start in self.unnamed:
                self.unnamed.discard(raw.lines[0].start)
                what = "a heading with a claim needs an id of its own, which no number changes"
                self.find(region.start, "heading-id", what, "end it with { #some-name }")
            yield node
        pieces = list(pieces_of(region, items))
        self.region = self.new_region(pieces)
        self.unread_comments(pieces)

    def heading(self, raw: RawText) -> None:
        """Note a heading, by number signs or underlined."""
        first = self.source.slice(raw.lines[0])
        level = len(first) - len(first.lstrip("#"))
        if not 1 <= level <= 6 and len(raw.lines) > 1:
            rule = self.source.slice(raw.lines[1]).strip()
            level = next((n for n, sign in ((1, "="), (2, "-")) if not rule.strip(sign)), 0)
        if not 1 <= level <= 6:
            return
        self.headings.append(Heading(raw.lines[0].start, level))
        if not has_id(first):
            self.unnamed.add(raw.lines[0].start)

    def unread_comments(self, pieces: list[tuple[Span, bool]]) -> None:
        """Say of a comment that nobody reads as one that it claims nothing."""
        for piece, in_formula in pieces:
            for found in _UNREAD.finditer(self.source.text, piece.start, piece.end):
                what = "this comment is not closed within its paragraph, so it claims nothing"
                todo = "close it with --> before the paragraph ends"
                if in_formula:
                    what = "inside a formula nothing is a claim"
                    todo = "put the comment behind the closing $, or write \\$ for a dollar sign"
                self.find(found.start(), "malformed-claim", what, todo)

    def hidden_fences(self, raw: RawText) -> None:
        """Say of a fence that a paragraph has swallowed that it would not run."""
        for line in raw.lines[1:]:
            text = self.source.slice(line)
            fence = FENCE.match(text.lstrip("> \t"))
            if fence and looks_executable(fence["info"]) and fence["mark"] not in fence["info"]:
                what = "a fence in the middle of a paragraph is no block to the site's Markdown"
                self.find(line.start, "misplaced-fence", what, "put a blank line before it")

    def inline(self, item: RawInline, region: Span, in_table: bool) -> Node:
        if item.kind == "comment":
            return self.comment(item.span, region.start, in_table)
        if item.kind == "code":
            return CodeSpan(item.span)
        return Formula(item.span, self.source.slice(item.inner), item.kind == "display")

    def new_region(self, pieces: Iterable[tuple[Span, bool]]) -> Above:
        """What an ``above`` comment may be about from now on."""
        return Above(self.source.text, pieces, self.bound)


def _mark(raw: RawFence) -> int:
    """Where the fence's marks begin on its opening line."""
    return raw.info.start - len(raw.mark)


def _closing_length(source: Source, raw: RawFence) -> int:
    return len(source.slice(raw.closing).strip("> \t\r\n"))


def _fence(raw: RawFence) -> Fence:
    return Fence(raw.opening, raw.body, raw.prefix, raw.mark, raw.info)
