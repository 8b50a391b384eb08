"""A chapter as `parse` sees it: frozen nodes that cover its text end to end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from literate.errors import Finding
from literate.source import Location, Source, Span

__all__ = [
    "BlockOptions",
    "Claim",
    "ClaimComment",
    "CodeBlock",
    "CodeSpan",
    "Comment",
    "Document",
    "Fence",
    "Formula",
    "FrontMatter",
    "Heading",
    "Listing",
    "Literal",
    "Node",
    "OutputBlock",
    "Prose",
]


@dataclass(frozen=True)
class FrontMatter:
    """The YAML between the dashes at the top of the file."""

    span: Span
    values: dict[str, Any] = field(compare=False)


@dataclass(frozen=True)
class Prose:
    """Text of the site's own Markdown, passed on as it is."""

    span: Span


@dataclass(frozen=True)
class CodeSpan:
    """Inline code; nothing in it is a claim."""

    span: Span


@dataclass(frozen=True)
class Listing:
    """Code that never runs: an indented block, or a fence of another language."""

    span: Span


@dataclass(frozen=True)
class Formula:
    """Mathematics between dollar signs; ``tex`` stands between them."""

    span: Span
    tex: str
    display: bool


@dataclass(frozen=True)
class Comment:
    """An HTML comment that claims nothing."""

    span: Span


@dataclass(frozen=True)
class Literal:
    """What a claim is about: characters of the prose, and how they are compared.

    ``form`` is ``number``, ``code`` (a code span, compared as text with its numbers
    by value) or ``text``. ``span`` lies inside backticks and dollar signs.
    """

    text: str
    span: Span
    form: str
    in_formula: bool = False


@dataclass(frozen=True)
class Claim:
    """A comment that ties what stands before it to code or to a source.

    ``kind`` is ``=``, ``assert``, ``cite`` or ``above``; a line of an ``above``
    comment is one claim of its own. ``expression`` is the Python expression, for
    ``cite`` the source. ``index`` counts the claims of the page. ``echo`` is where
    an ``above`` comment repeats the literal.
    """

    index: int
    kind: str
    expression: str
    location: Location
    literal: Literal
    tolerance: str = ""
    needs: str = ""
    echo: Span | None = None


@dataclass(frozen=True)
class ClaimComment:
    """A comment with its claims: one, or for ``above`` one a line."""

    span: Span
    claims: tuple[Claim, ...]


@dataclass(frozen=True)
class Heading:
    """A heading's first character and its level, 1 to 6."""

    offset: int
    level: int


@dataclass(frozen=True)
class Fence:
    """How a fenced block stands in its file.

    ``opening`` is the opening line without its line end, ``body`` the lines
    between the fences with theirs. ``prefix`` is what the block's container puts
    before each line (indentation, quote marks).
    """

    opening: Span
    body: Span
    prefix: str
    mark: str
    info: Span


@dataclass(frozen=True)
class BlockOptions:
    """The options of a block's opening line; see the reference of the format."""

    norun: bool = False
    hide: bool = False
    fold: bool = False
    volatile: bool = False
    raises: str = ""
    source: str = ""
    alt: str = ""
    caption: str = ""
    id: str = ""
    needs: str = ""
    timeout: float | None = None
    info: str = "python"
    """What is left of the opening line for the site's own highlighter."""

    @property
    def keeps_output(self) -> bool:
        """Whether the source holds what the block puts out."""
        return not (self.norun or self.hide or self.volatile)


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block of Python; ``code`` has its container's prefix taken off."""

    span: Span
    fence: Fence
    code: str
    options: BlockOptions
    location: Location
    index: int
    caption: Span | None = None
    """Where the caption stands in the opening line."""
    comments: tuple[ClaimComment, ...] = ()
    """The claims of the caption."""

    @property
    def code_line(self) -> int:
        """The line of the file on which the first line of code stands."""
        return self.location.line + 1

    def place(self, line: int | None, column: int | None = None) -> Location:
        """A place in the file, from its line and the column in the code as far as known."""
        if line is None:
            return self.location
        at = 1 if column is None else len(self.fence.prefix) + column
        return Location(self.location.path, line, at)


@dataclass(frozen=True)
class OutputBlock:
    """A fenced block of language ``output`` right below the block it belongs to."""

    span: Span
    fence: Fence
    text: str
    location: Location
    block: int | None


Node: TypeAlias = (
    FrontMatter
    | Prose
    | CodeSpan
    | Listing
    | Formula
    | Comment
    | ClaimComment
    | CodeBlock
    | OutputBlock
)


@dataclass(frozen=True)
class Document:
    """A parsed chapter. The texts of ``nodes``, joined, are the source's text."""

    source: Source
    nodes: tuple[Node, ...]
    settings: dict[str, Any] | None
    """The page's own settings; None where the page does not opt in."""
    findings: tuple[Finding, ...] = ()
    headings: tuple[Heading, ...] = ()

    @cached_property
    def blocks(self) -> tuple[CodeBlock, ...]:
        """The code blocks, in order; a block's ``index`` is its place here."""
        return tuple(node for node in self.nodes if isinstance(node, CodeBlock))

    @cached_property
    def outputs(self) -> dict[int, OutputBlock]:
        """Output blocks by the index of the block they belong to."""
        return {
            node.block: node
            for node in self.nodes
            if isinstance(node, OutputBlock) and node.block is not None
        }

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The claims, in order; a claim's ``index`` is its place here."""
        return tuple(claim for comment in self._comments() for claim in comment.claims)

    def _comments(self) -> Iterator[ClaimComment]:
        for node in self.nodes:
            if isinstance(node, ClaimComment):
                yield node
            elif isinstance(node, CodeBlock):
                yield from node.comments
