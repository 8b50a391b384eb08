"""Blocks of a page as its lines tell them, before anything is known of what they mean."""

from __future__ import annotations

from dataclasses import dataclass, field

from literate.parse.lines import Container
from literate.source import Span

__all__ = ["RawComment", "RawFence", "RawItem", "RawListing", "RawText"]


@dataclass(frozen=True)
class RawFence:
    """A fenced block; ``place`` says why it is no block for the site, if it is none.

    ``place`` is empty, ``marker`` (on a list marker's line), ``indented`` (one to
    three columns), ``listing`` (four columns and more, in no container), ``adjacent``
    (right behind indented code) or ``backtick`` (on the opening line of backticks).
    """

    span: Span
    opening: Span
    body: Span
    info: Span
    prefix: str
    mark: str
    code: str
    containers: tuple[Container, ...]
    place: str
    closed: bool
    closing: Span


@dataclass(frozen=True)
class RawComment:
    """An HTML comment that starts a line; it may run over any number of lines."""

    span: Span
    containers: tuple[Container, ...]
    closed: bool


@dataclass(frozen=True)
class RawListing:
    """Lines of indented code."""

    span: Span


@dataclass
class RawText:
    """Lines of one paragraph, heading, table or list item, without their prefixes."""

    lines: list[Span] = field(default_factory=list)
    containers: tuple[Container, ...] = ()


RawItem = RawFence | RawComment | RawListing | RawText
