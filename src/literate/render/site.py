"""Markdown for an MkDocs site, and the HTML that stands in for its placeholders.

Python-Markdown mangles HTML inside lists, tabs and admonitions, and other plugins
read ``{{ }}`` in what they take for text. So whatever a block gave travels as a
placeholder on a line of its own and is put in when the page is HTML.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field, replace
from html import escape

from literate.document import (
    Claim,
    ClaimComment,
    CodeBlock,
    CodeSpan,
    Document,
    Formula,
    FrontMatter,
    OutputBlock,
    Prose,
)
from literate.names import defined_below
from literate.render.absent import why_absent
from literate.render.html import (
    caption_text,
    failure_box,
    figure,
    fold_begin,
    fold_end,
    note,
    note_again,
    output_box,
)
from literate.render.marks import Marks, anchor
from literate.render.numbers import foot
from literate.render.plain import code
from literate.results import BlockResult, ChapterResult
from literate.source import Span

__all__ = ["Frame", "Rendered", "fill", "site"]

_PLACEHOLDER = re.compile(
    r'<p>\s*<div data-literate="(?P<wrapped>[\w-]+)"></div>\s*</p>'
    r'|<div data-literate="(?P<bare>[\w-]+)"></div>'
    r'|<data data-literate="(?P<inline>[\w-]+)">'
)


_MARKS = re.compile(r"[> \t]*")
"""What a container may put before a line of its own."""

_PLAIN_TOKEN = re.compile(r'<span class="[nw]">([^<]*)</span>')


@dataclass(frozen=True)
class Rendered:
    """A page for the site.

    Attributes:
        markdown: with placeholders for results and a word for each block's code.
        inserts: the HTML of the placeholders, by their names.
        codes: the code that each word stands for.
        foot: the HTML of the page's foot.
    """

    markdown: str
    inserts: dict[str, str] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    foot: str = ""


@dataclass(frozen=True)
class Frame:
    """What a site knows about a page besides its text and results.

    Attributes:
        executed: False for a quick look: outputs stand as in the source, and say so.
        kept: True where the results are an earlier build's, which volatile ones say.
        threads: how many the page ran with.
        slug: the page's name in the ids of other pages.
        numbers_url: where the page of all numbers is, seen from this one, if there is one.
        date: of the last change.
    """

    executed: bool = True
    kept: bool = False
    threads: int = 1
    slug: str = "page"
    numbers_url: str = ""
    date: str = ""


def site(document: Document, result: ChapterResult, frame: Frame) -> Rendered:
    """The page for the site."""
    return _Renderer(document, result, frame).page()


def fill(html: str, inserts: dict[str, str]) -> str:
    """Put each placeholder's HTML in its place, with the paragraph that wraps it.

    On the way the marks go that Pygments puts around plain names and blanks. Hardly any
    style colours them, and they are a tenth of the code's bytes.
    """
    html = _PLAIN_TOKEN.sub(r"\1", html)

    def insert(found: re.Match[str]) -> str:
        name = found["wrapped"] or found["bare"] or found["inline"]
        return inserts.get(name, found.group())

    return _PLACEHOLDER.sub(insert, html)


class _Renderer:
    def __init__(self, document: Document, result: ChapterResult, frame: Frame) -> None:
        self.document = document
        self.result = result
        self.frame = frame
        self.origin = "from an earlier build" if frame.kept else "from this build"
        self.marks = Marks(document, result, frame.slug)
        self.starts = {claim.literal.span.start: claim for claim in document.claims}
        self.sorted_starts = sorted(self.starts)
        self.origins = self.marks.origins(document.claims)
        self.pieces: list[str] = []
        self.inserts: dict[str, str] = {}
        self.codes: dict[str, str] = {}
        self.told: dict[str, str] = {}

    def page(self) -> Rendered:
        for node in self.document.nodes:
            if isinstance(node, CodeBlock):
                self.block(node)
            elif isinstance(node, Formula):
                self.formula(node)
            elif isinstance(node, Prose):
                self.prose(node.span)
            elif isinstance(node, CodeSpan):
                self.code_span(node.span)
            elif not isinstance(node, OutputBlock | FrontMatter | ClaimComment):
                self.pieces.append(self.document.source.slice(node.span))
        return Rendered("".join(self.pieces), self.inserts, self.codes, self.foot())

    def foot(self) -> str:
        """The line at the end of a page with claims."""
        frame = self.frame
        if not self.document.claims or not frame.executed:
            return ""
        rows = f"{frame.numbers_url}#{frame.slug}-" if frame.numbers_url else ""
        return foot(self.document, self.result, frame.threads, frame.date, rows)

    def within(self, span: Span) -> list[Claim]:
        """The claims whose literals begin in a span, in the order of these."""
        first = bisect.bisect_left(self.sorted_starts, span.start)
        last = bisect.bisect_left(self.sorted_starts, span.end)
        return [self.starts[start] for start in self.sorted_starts[first:last]]

    def prose(self, span: Span) -> None:
        """Prose with a mark around each literal that carries a claim."""
        text, position = self.document.source.text, span.start
        for claim in self.within(span):
            literal = claim.literal.span
            self.pieces += [text[position : literal.start], self.opening([claim])]
            self.pieces += [text[literal.start : literal.end], "</data>"]
            position = literal.end
        self.pieces.append(text[position : span.end])

    def code_span(self, span: Span) -> None:
        """A code span, with a mark around it if a claim is about what is in it."""
        text, claims = self.document.source.slice(span), self.within(span)
        self.pieces.append(f"{self.opening(claims)}{text}</data>" if claims else text)

    def formula(self, formula: Formula) -> None:
        """A formula: in a line with a mark, on lines of its own with places to link to."""
        source, start = self.document.source, formula.span.start
        text, claims = source.slice(formula.span), self.within(formula.span)
        begin = start - source.location(start).column + 1
        if not claims:
            self.pieces.append(text)
        elif not formula.display or not _MARKS.fullmatch(source.text, begin, start):
            self.pieces.append(f"{self.opening(claims)}{text}</data>")
        else:
            name = f"anchors-{claims[0].index}"
            self.inserts[name] = "".join(_anchor(anchor(claim)) for claim in claims)
            newline, prefix = source.newline, source.text[begin:start]
            placeholder = f'<div data-literate="{name}"></div>{newline}'
            self.pieces.append(f"{placeholder}{prefix.rstrip()}{newline}{prefix}{text}")

    def opening(self, claims: list[Claim]) -> str:
        """The tag before a literal; what is said of several is said of the first."""
        name = f"number-{claims[0].index}"
        others = "".join(_anchor(anchor(claim)) for claim in claims[1:])
        self.inserts[name] = others + self.marks.opening(claims[0])
        return f'<data data-literate="{name}">'

    def block(self, block: CodeBlock) -> None:
        """The block's code, then what it gave."""
        options = block.options
        if block.index in self.origins:
            self.place(block, "block", _anchor(f"block-{block.index + 1}"))
        if not options.hide:
            if options.fold:
                self.place(block, "fold", fold_begin("Code"))
            word = f"literate-code-{self.frame.slug}-{block.index}"
            fence, self.codes[word] = code(self.document, block, self.result, word)
            self.pieces.append(fence)
            if options.fold:
                self.place(block, "unfold", fold_end())
        shown = self.outcome(block)
        if options.id and f' id="{escape(options.id)}"' not in shown:
            shown = _anchor(options.id) + shown  # what leads to a figure leads to what is said
        if shown:
            self.place(block, "output", shown)

    def place(self, block: CodeBlock, name: str, html: str) -> None:
        """Leave a placeholder, set off by blank lines, in the block's container."""
        newline, prefix = self.document.source.newline, block.fence.prefix
        key = f"{name}-{block.index}"
        self.inserts[key] = html
        blank = prefix.rstrip() + newline
        ended = "".join(self.pieces[-1:]).endswith(("\n", "\r")) or not self.pieces
        self.pieces += [] if ended else [newline]
        self.pieces += [blank, f'{prefix}<div data-literate="{key}"></div>{newline}', blank]

    def outcome(self, block: CodeBlock) -> str:
        """The HTML of what a block gave, or why there is none."""
        options, result = block.options, self.result.blocks.get(block.index)
        if options.norun:
            return ""
        if result is None:
            return self.not_run(block)
        if result.failure:
            return self.failed(block, result)
        if options.hide:
            return ""
        shown = ""
        if result.rich:
            prefix = f"block-{block.index}-"
            shown = figure(result.rich, options, prefix, self.caption(block), self.origin)
        return self.text(block, result) + shown

    def caption(self, block: CodeBlock) -> str:
        """The HTML of a block's caption, with marks around what carries a claim."""
        if block.caption is None:
            return ""
        text, position = self.document.source.text, block.caption.start
        pieces: list[str] = []
        for comment in block.comments:
            for claim in comment.claims:
                literal = claim.literal.span
                pieces += [caption_text(text[position : literal.start]), self.marks.opening(claim)]
                pieces += [caption_text(text[literal.start : literal.end]), "</data>"]
                position = literal.end
            pieces.append(caption_text(text[position : comment.span.start]))
            position = comment.span.end
        return "".join([*pieces, caption_text(text[position : block.caption.end])])

    def text(self, block: CodeBlock, result: BlockResult) -> str:
        text = result.text.rstrip()
        if not text.strip():
            return ""
        if block.options.volatile:
            return output_box(text, self.origin, "literate-volatile")
        if result.raised:
            return output_box(text, "raises", "literate-raises")
        return output_box(text)

    def not_run(self, block: CodeBlock) -> str:
        output = self.document.outputs.get(block.index)
        why = why_absent(self.document, self.result, block)
        if block.options.needs in self.result.missing:
            return "" if block.options.hide else self.lacking(block, why)
        if self.frame.executed:
            return note(f"Not run, because {why}." if why else "Not run in this build.")
        if output is None:
            return ""
        return output_box(output.text, "not run in this build", "literate-unrun")

    def lacking(self, block: CodeBlock, why: str) -> str:
        """What a block needs and how to get it, which a page says in full only once."""
        needs = block.options.needs
        if needs in self.told:
            return note_again(needs, self.told[needs])
        self.told[needs] = name = f"{self.frame.slug}-needs-{block.index + 1}"
        return note(f"Not run in this build: {why}.", name)

    def failed(self, block: CodeBlock, result: BlockResult) -> str:
        failure = result.failure
        assert failure is not None
        where = block.place(failure.line, failure.column)
        what = failure.what + defined_below(self.document, failure.what, block.span.start)
        printed = output_box(result.text) if result.text.strip() else ""
        return printed + failure_box(where, replace(failure, what=what))


def _anchor(name: str) -> str:
    return f'<span class="literate-anchor" id="{escape(name)}"></span>'
