"""The block level: which lines are fences, comments, indented code, and prose.

The rules are those of Python-Markdown with `pymdownx.superfences`, the site's own
reader, so that a block runs exactly where the site shows one: four columns of
indentation for what stands inside a list, an admonition or a tab.
"""

from __future__ import annotations

from collections.abc import Iterator

from literate.parse.lines import (
    INDENT,
    Container,
    Line,
    after_quote_mark,
    enter,
    indentation,
    split,
)
from literate.parse.options import looks_executable
from literate.parse.patterns import BOX, FENCE, HEADING, ITEM, RULE, starts_block
from literate.parse.raw import RawComment, RawFence, RawItem, RawListing, RawText
from literate.source import Span

__all__ = ["scan"]

DEEPEST = 50
"""Containers in containers beyond which marks are read as text."""


def scan(text: str, start: int) -> Iterator[RawItem]:
    """Read the blocks of ``text`` from ``start`` on, in order."""
    scanner = _Scanner(text)
    for item in scanner.run(start):
        if not isinstance(item, RawText) or item.lines:
            yield item


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.containers: list[Container] = []
        self.region = RawText()
        self.after_blank = True
        self.after_listing = False
        self.listing_end = -1
        self.comment_end = -1

    def run(self, start: int) -> Iterator[RawItem]:
        position = start
        while position < len(self.text):
            line = next(split(self.text, position))
            items, position = self.line(line)
            yield from items
        yield self.close()

    def close(self) -> RawText:
        """End the region of prose; hand it over."""
        region, self.region = self.region, RawText()
        return region

    def line(self, line: Line) -> tuple[list[RawItem], int]:
        """Read one line, or the fence or comment that it opens."""
        rest = enter(self.text, line, self.containers)
        offset, column = indentation(self.text, rest.offset, line.end, rest.column)
        if offset == line.end:
            self.after_blank = True
            return [self.close()], line.next
        if self.is_lazy(rest.matched, offset):
            self.region.lines.append(Span(offset, line.end))
            return [], line.next
        before = self.region
        if rest.matched < len(self.containers):
            del self.containers[rest.matched :]
            self.region, self.after_listing = RawText(), False
        done: list[RawItem] = [before] if before is not self.region else []
        items, position = self.content(line, rest.offset, offset, rest.column, column)
        return done + items, position

    def is_lazy(self, matched: int, offset: int) -> bool:
        """Whether the line goes on with what is above it without repeating its marks.

        A quote takes everything up to the next blank line, also what looks like an item.
        """
        if matched == len(self.containers) or self.after_blank or not self.region.lines:
            return False
        if self.containers[matched].kind == "quote":
            return not FENCE.match(self.text, offset) and not self.text.startswith("<!--", offset)
        return not starts_block(self.text, offset)

    def content(
        self, line: Line, begin: int, offset: int, base: int, column: int
    ) -> tuple[list[RawItem], int]:
        """Read what stands inside the containers that the line has entered."""
        text, indent = self.text, column - base
        if (place := self.opens_fence(offset)) is not None:
            return self.fence(line, begin, offset, indent, place)
        if indent >= INDENT and (self.after_blank or self.after_listing):
            self.after_listing, self.after_blank = True, False
            self.listing_end = line.next
            return [self.close(), RawListing(Span(offset, line.end))], line.next
        self.after_listing = False
        if text.startswith("<!--", offset):
            return self.comment(line, offset)
        if text[offset] == ">" and len(self.containers) < DEEPEST:
            return self.quote(line, offset, column)
        if opened := self.opens_container(offset):
            done = self.close()
            self.containers.append(Container(opened[0]))
            items, position = self.after_marker(line, opened[1])
            return [done, *items], position
        return self.prose(line, offset)

    def opens_fence(self, offset: int) -> str | None:
        """Whether a fence opens here: None, or what is wrong with it, mostly nothing.

        A backtick behind backticks makes inline code of them, except to superfences.
        """
        fence = FENCE.match(self.text, offset)
        if fence is None or fence["mark"][0] == "~" or "`" not in fence["info"]:
            return None if fence is None else ""
        inline = fence["mark"] in fence["info"]
        return "backtick" if looks_executable(fence["info"]) and not inline else None

    def opens_container(self, offset: int) -> tuple[str, int] | None:
        """The kind of container that starts here and where its content does."""
        if len(self.containers) >= DEEPEST:
            return None
        box = BOX.match(self.text, offset)
        if box and not (self.containers and self.text[offset] == "["):
            # A footnote inside another container is none to the site's Markdown.
            return "box", box.end() - (self.text[offset] == ":")
        item = ITEM.match(self.text, offset)
        if item is None or RULE.match(self.text, offset):
            return None
        within_paragraph = self.region.lines and not self.after_blank
        in_list = bool(self.region.containers) and self.region.containers[-1].kind == "list"
        return None if within_paragraph and not in_list else ("list", item.end())

    def after_marker(self, line: Line, offset: int) -> tuple[list[RawItem], int]:
        """Read the rest of a marker's own line."""
        self.after_blank = False
        if self.opens_fence(offset) is not None:
            return self.fence(line, offset, offset, 0, "marker")
        return self.prose(line, offset)

    def prose(self, line: Line, offset: int) -> tuple[list[RawItem], int]:
        done: list[RawItem] = []
        if self.after_blank or HEADING.match(self.text, offset):
            done.append(self.close())
        self.after_blank = bool(HEADING.match(self.text, offset))
        self.region.containers = tuple(self.containers)
        self.region.lines.append(Span(offset, line.end))
        return done, line.next

    def quote(self, line: Line, offset: int, column: int) -> tuple[list[RawItem], int]:
        done = self.close()
        self.containers.append(Container("quote"))
        self.after_blank = True
        begin, base = after_quote_mark(self.text, offset, column)
        inner, inner_column = indentation(self.text, begin, line.end, base)
        if inner == line.end:
            return [done], line.next
        items, position = self.content(line, begin, inner, base, inner_column)
        return [done, *items], position

    def comment(self, line: Line, offset: int) -> tuple[list[RawItem], int]:
        """Read a comment that starts a line; the rest of its last line is prose."""
        end = self.find_comment_end(offset + 4)
        closed = end < len(self.text) or self.text.endswith("-->")
        done = self.close()
        item = RawComment(Span(offset, end), tuple(self.containers), closed)
        rest = next(split(self.text, end), Line(end, end, end))
        last = line if end <= line.next else rest
        self.after_blank = False
        if end < last.end and self.text[end : last.end].strip():
            self.region.containers = tuple(self.containers)
            self.region.lines.append(Span(end, last.end))
        return [done, item], max(last.next, end)

    def find_comment_end(self, offset: int) -> int:
        """The offset behind the next ``-->``, or the end of the text.

        The last answer is kept, so that many comments that nobody closed cost no
        more than one search.
        """
        if self.comment_end - 3 < offset:
            found = self.text.find("-->", offset)
            self.comment_end = found + 3 if found >= 0 else len(self.text) + 3
        return min(self.comment_end, len(self.text))

    def fence(
        self, line: Line, begin: int, offset: int, indent: int, place: str
    ) -> tuple[list[RawItem], int]:
        """Read a fenced block."""
        text = self.text
        opening = FENCE.match(text, offset)
        assert opening is not None
        if not place and indent:
            place = "indented" if indent < INDENT else "listing"
        if not place and line.start == self.listing_end:
            place = "adjacent"
        mark = opening["mark"]
        code, closing, position = self.fenced(line.next, mark, indent, bool(place))
        done = self.close()
        self.after_blank, self.after_listing = True, False
        item = RawFence(
            span=Span(line.start, position),
            opening=Span(line.start, line.end),
            body=Span(line.next, closing.start if closing else position),
            info=Span(opening.start("info"), line.end),
            prefix=text[line.start : offset],
            mark=mark,
            code="\n".join(code),
            containers=tuple(self.containers),
            place=place,
            closed=closing is not None,
            closing=closing or Span(position, position),
        )
        return [done, item], position

    def fenced(
        self, position: int, mark: str, indent: int, misplaced: bool
    ) -> tuple[list[str], Span | None, int]:
        """Read lines of code to the closing one, or to where the fence's container ends.

        Returns:
            The code, the closing line if there is one, and where reading goes on.
        """
        code: list[str] = []
        while position < len(self.text):
            line = next(split(self.text, position))
            rest = enter(self.text, line, self.containers)
            at, column = indentation(self.text, rest.offset, line.end, rest.column)
            if rest.matched < len(self.containers) and not misplaced and at < line.end:
                break
            position = line.next
            if self.closes(mark, at, line.end, column - rest.column, indent):
                return code, Span(line.start, line.end), position
            code.append(self.dedent(line, rest.offset, rest.column, at, column))
        return code, None, position

    def closes(self, mark: str, offset: int, end: int, indent: int, own: int) -> bool:
        """Whether a line closes the fence; what a longer one means, `assemble` says."""
        found = FENCE.match(self.text, offset)
        if not found or found["mark"][0] != mark[0] or found["info"].strip():
            return False
        return len(found["mark"]) >= len(mark) and indent <= max(own, 3)

    def dedent(self, line: Line, begin: int, base: int, offset: int, column: int) -> str:
        """A line of code without its container's prefix; tabs it shares are blanks."""
        if offset == line.end:
            return ""
        if "\t" not in self.text[line.start : offset]:
            return self.text[begin : line.end]
        return " " * (column - base) + self.text[offset : line.end]
