"""Pages that nobody would write on purpose: no text is lost, and none takes long."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import literate
from literate import render
from literate.audit import audit
from literate.check import check
from literate.document import Document
from literate.errors import LiterateError
from literate.parse import parse
from literate.pipeline import Site, chapter_of_text
from literate.results import ChapterResult
from literate.source import BOM, Source, read
from literate.sync import sync

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = (ROOT / "docs" / "chapters" / "attention.md").read_text("utf-8")
FRONT = "---\nliterate: true\n---\n\n"

FOLDERS = "LITERATE_MARKDOWN"
"""The variable that names more folders of Markdown to read."""


def go_through(document: Document) -> None:
    """All that a page goes through without running."""
    result = ChapterResult()
    check(document, result)
    audit(document)
    sync(document, result)
    for frame in (render.Frame(), render.Frame(executed=False)):
        page = render.site(document, result, frame)
        render.fill(page.markdown, page.inserts)
    render.plain(document, result)


def read_whole(text: str) -> Document:
    """The document of a text, which covers it end to end and has its findings inside."""
    document = parse(Source("page.md", text))
    position = 0
    for node in document.nodes:
        assert node.span.start == position
        position = node.span.end
    assert position == len(text)
    lines = len(re.findall(r"\r\n|\n|\r", text)) + 1
    for finding in document.findings:
        assert finding.where.path == "page.md"
        assert 1 <= finding.where.line <= lines
        assert finding.what
    go_through(document)
    return document


# Made pages ---------------------------------------------------------------------------

WORDS = st.text("ab1.5%$`*_[]()<>!|#-=\\{};:\"'é−\u2009", max_size=12)
CONTROLS = st.sampled_from(["\x00", "\x07", "\x0b", "\x0c", "\x1b[1m", "\x85", "\u2028", BOM])
LINE_ENDS = st.sampled_from(["\n", "\n", "\r\n", "\r"])
CLAIMS = st.sampled_from(
    [
        "0.5<!--= a -->",
        "`[1, 2]`<!--= b; tol=1 -->",
        "four<!--assert: a > 3 -->",
        "0.1<!--cite: somewhere -->",
        "$1{,}024$<!--= c -->",
        "1<!-- = nearly -->",
        "2<!--=",
        "<!--above\n0.5 = a\nfour = b\n-->",
        "<!--above -->",
    ]
)
OPTIONS = st.sampled_from(
    ["", " hide", " fold volatile", ' caption="1<!--= a -->"', " x=", " { .y }", ' title="a'],
)


@st.composite
def fences(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["`", "~"])) * draw(st.integers(3, 6))
    language = draw(st.sampled_from(["python", "py", "output", "text", "", "{ .python }"]))
    closing = draw(st.sampled_from([mark, mark, mark[:-1], mark + mark[0], ""]))
    return f"{mark}{language}{draw(OPTIONS)}\n{draw(WORDS)}\n{closing}"


@st.composite
def formulas(draw: st.DrawFn) -> str:
    mark = draw(st.sampled_from(["$", "$$"]))
    inner = draw(st.sampled_from(["x", "\n0.5\n", r"\frac{0.5}{2}", r"a\$", r"\\[2pt] 3em", " "]))
    return mark + inner + draw(st.sampled_from([mark, mark, "$", ""]))


@st.composite
def tables(draw: st.DrawFn) -> str:
    rule = draw(st.sampled_from(["|---|---|", "| :-: |-|", "|--x|", "---"]))
    return f"| a | b |\n{rule}\n| {draw(WORDS)} | {draw(CLAIMS)} |"


@st.composite
def containers(draw: st.DrawFn, inner: st.SearchStrategy[str]) -> str:
    first, others = draw(
        st.sampled_from(
            [
                ("- ", "    "),
                ("12. ", "    "),
                ("> ", "> "),
                (">", "   "),
                ("!!! note\n    ", "    "),
                ('??? note "a"\n\n    ', "    "),
                ('=== "a"\n\n\t', "\t"),
                ("[^a]: ", "    "),
                ("a\n:   ", "    "),
                ("  ", "  "),
            ]
        )
    )
    return first + draw(inner).replace("\n", "\n" + others)


def many(blocks: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Blocks in a row, with and without blank lines between them."""
    pairs = st.tuples(blocks, st.sampled_from(["", "\n", "\n\n", "\n\n", " \n\t\n"]))
    return st.lists(pairs, max_size=6).map(lambda found: "".join(a + b for a, b in found))


HEADINGS = st.builds("{}{} {{ #a-b }}".format, st.sampled_from(["# ", "## ", "#"]), CLAIMS)
LEAVES = st.one_of(WORDS, CLAIMS, CONTROLS, HEADINGS, fences(), formulas(), tables())
BLOCKS = st.recursive(LEAVES, lambda inner: containers(many(inner)), max_leaves=12)


FRONTS = st.sampled_from(
    [FRONT, FRONT, FRONT, "", "---\nliterate: [\n---\n", "---\nliterate:\n  timeout: x\n...\n"]
)


@given(FRONTS, many(BLOCKS), LINE_ENDS)
def test_made_page_is_read_whole_and_goes_through_everything(
    front: str, body: str, end: str
) -> None:
    read_whole((front + body).replace("\n", end))


@given(FRONTS, many(BLOCKS), LINE_ENDS, st.booleans())
def test_file_is_given_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, front: str, body: str, end: str, bom: bool
) -> None:
    data = ((BOM if bom else "") + (front + body).replace("\n", end)).encode()
    path = tmp_path_factory.getbasetemp() / "bytes.md"
    path.write_bytes(data)
    source = read(path)
    joined = "".join(source.slice(node.span) for node in parse(source).nodes)
    assert ((BOM if source.bom else "") + joined).encode() == data


@given(st.integers(0, len(CHAPTER)), st.integers(0, 3000), st.integers(0, 400), WORDS)
def test_piece_of_the_chapter_is_read_whole(start: int, length: int, cut: int, word: str) -> None:
    """Torn out anywhere, with something else in its middle."""
    piece = CHAPTER[start : start + length]
    middle = len(piece) // 2
    read_whole(FRONT + piece[:middle] + word + piece[middle + cut :])


def test_front_matter_that_holds_itself_many_times_over_is_refused_at_once() -> None:
    # Written out, it would fill a thousand machines.
    lines = "".join(f"b{i}: &a{i + 1} [*a{i}, *a{i}]\n" for i in range(60))
    bomb = f"a: &a0 [x, x]\n{lines}"
    site = Site(ROOT, ROOT)
    for setting in ("literate: *a60\n", "literate:\n  timeout: *a60\n"):
        chapter = chapter_of_text(f"---\n{bomb}{setting}---\n", "page.md", site)
        assert chapter is not None
        (finding,) = chapter.document.findings
        assert finding.rule == "front-matter"
        assert len(finding.what) < 200


@pytest.mark.parametrize("before", ["so ", "- ", "> so "])
def test_formula_within_a_line_is_marked_and_its_line_not_repeated(before: str) -> None:
    document = parse(Source("page.md", f"{FRONT}{before}$$1$$<!--= a --> it is\n"))
    page = render.site(document, ChapterResult(), render.Frame())
    mark = '<data data-literate="number-0">'
    assert page.markdown == f"\n{before}{mark}$$1$$</data> it is\n"


@pytest.mark.parametrize("longest", [0, 2, 3, 40])
def test_fence_of_an_output_is_longer_than_any_backticks_in_it(longest: int) -> None:
    ticks = "`" * longest
    document = parse(Source("page.md", f"{FRONT}```python\nx\n```\n\n~~~output\n{ticks}a\n~~~\n"))
    fence = "`" * max(3, longest + 1)
    written = render.plain(document, ChapterResult()).markdown
    assert written.endswith(f"\n{fence}text\n{ticks}a\n{fence}\n")


@pytest.mark.parametrize(
    ("heading", "named"),
    [
        ("# 1<!--= a --> { #a }", True),
        ("# 1<!--= a --> {.b #a-1} ", True),
        ("# {#x} 1<!--= a --> {.b}", False),
        ("# 1<!--= a --> {#}", False),
        ("# 1<!--= a --> {#a}}", False),
        ("# 1<!--= a --> #a}", False),
    ],
)
def test_heading_has_an_id_where_its_last_braces_hold_one(heading: str, named: bool) -> None:
    document = parse(Source("page.md", f"{FRONT}{heading}\n"))
    assert ("heading-id" not in {finding.rule for finding in document.findings}) is named


@pytest.mark.parametrize(
    ("text", "left"),
    [("a<!-- b -->c", "ac"), ("<!---->a<!--", "a<!--"), ("<!-->a-->b", "b"), ("a-->", "a-->")],
)
def test_caption_is_read_without_its_comments(text: str, left: str) -> None:
    document = parse(Source("page.md", f'{FRONT}```python caption="{text}"\n```\n'))
    assert document.blocks[0].options.caption == left


# Found pages --------------------------------------------------------------------------


def found_pages(folders: list[Path]) -> Iterator[tuple[Path, bytes]]:
    """The Markdown files below folders, as they are and as pages that opt in."""
    for folder in folders:
        for path in sorted(folder.rglob("*.md")):
            if path.is_file():
                data = path.read_bytes()
                yield path, data
                yield path, FRONT.encode() + data.removeprefix(BOM.encode())


def read_found(folders: list[Path]) -> int:
    """Read every page below folders; how many there are."""
    count = 0
    for path, data in found_pages(folders):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        try:
            read_whole(text)
        except (AssertionError, LiterateError) as error:
            raise AssertionError(f"{path} is not read whole") from error
        count += 1
    return count


def test_markdown_of_installed_packages_is_read_whole() -> None:
    folders = [Path(name) for name in sys.path if Path(name).name == "site-packages"]
    assert read_found(folders) > 10


def test_markdown_of_other_projects_is_read_whole() -> None:
    folders = [Path(name) for name in os.environ.get(FOLDERS, "").split(os.pathsep) if name]
    if not folders:
        pytest.skip(f"{FOLDERS} names no folders of Markdown; their pages were not read")
    assert read_found(folders) > 0


# Long pages ---------------------------------------------------------------------------


class Counted(str):
    """A text that counts the characters that are looked at or copied."""

    seen = 0

    def __getitem__(self, key: Any) -> str:
        piece = str.__getitem__(self, key)
        Counted.seen += len(piece)
        return Counted(piece)

    def find(self, sub: str, *bounds: Any) -> int:
        at = str.find(self, sub, *bounds)
        start, end = (*bounds, 0, len(self))[:2] if len(bounds) < 2 else bounds
        Counted.seen += (at if at >= 0 else min(end, len(self))) - start
        return at

    def rfind(self, sub: str, *bounds: Any) -> int:
        at = str.rfind(self, sub, *bounds)
        start, end = bounds if len(bounds) == 2 else (0, len(self))
        Counted.seen += min(end, len(self)) - (at if at >= 0 else start)
        return at


class Watched:
    """A pattern that counts the characters between where it begins and where it ends."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern

    def __getattr__(self, name: str) -> Any:
        return getattr(self.pattern, name)

    def once(self, name: str, text: str, *bounds: int) -> re.Match[str] | None:
        found: re.Match[str] | None = getattr(self.pattern, name)(text, *bounds)
        start, end = (*bounds, *(0, len(text))[len(bounds) :])
        # One that fails at its first character has not looked further.
        if found or name == "search":
            Counted.seen += (found.end() if found else min(end, len(text))) - start
        return found

    def match(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self.once("match", text, *bounds)

    def fullmatch(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self.once("fullmatch", text, *bounds)

    def search(self, text: str, *bounds: int) -> re.Match[str] | None:
        return self.once("search", text, *bounds)

    def finditer(self, text: str, *bounds: int) -> Iterator[re.Match[str]]:
        start, end = (*bounds, *(0, len(text))[len(bounds) :])
        Counted.seen += end - start
        return self.pattern.finditer(text, *bounds)


PACKAGE = str(Path(literate.__file__).parent)
MODULES = (
    "audit claims render.plain render.site source sync numbers.compare numbers.grammar"
    " numbers.scan numbers.text parse.assemble parse.binding parse.claims parse.frontmatter"
    " parse.inline parse.lines parse.options parse.patterns parse.structure"
)


@pytest.fixture
def cost(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], int]:
    """A function that counts what a text costs: lines of code run, and characters looked at."""
    for name in MODULES.split():
        module = import_module(f"literate.{name}")
        for key, value in vars(module).items():
            # Two patterns are asked for by identity.
            if isinstance(value, re.Pattern) and key not in {"_BRACES", "_PLAIN"}:
                monkeypatch.setattr(module, key, Watched(value))

    def count(text: str) -> int:
        lines = 0

        def note(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal lines
            lines += 1
            return note if frame.f_code.co_filename.startswith(PACKAGE) else None

        Counted.seen = 0
        before = sys.gettrace()
        sys.settrace(note)
        try:
            go_through(parse(Source("page.md", Counted(text))))
        finally:
            sys.settrace(before)
        return lines + Counted.seen

    return count


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda n: FRONT + before + unit * (n // len(unit)) + after


def counted(form: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """Units that differ from each other."""
    return lambda n: FRONT + before + "".join(form.format(i) for i in range(n // 16)) + after


def above(lines: Callable[[int], str], paragraph: Callable[[int], str]) -> Callable[[int], str]:
    def page(n: int) -> str:
        body = lines(n).removeprefix(FRONT)
        return f"{paragraph(n)}\n\n<!--above\n{body}-->\n"

    return page


FAMILIES: dict[str, Callable[[int], str]] = {
    "one line": repeated("lorem ipsum "),
    "one word": repeated("a"),
    "one number": repeated("7"),
    "unclosed fences": repeated("```python\n"),
    "unclosed fences in quotes": repeated("> ```python\n> x\n\n"),
    "unclosed fences in lists": repeated("- a\n\n    ```python\n    x\n\nb\n\n"),
    "fences and outputs": repeated("```python\nx\n```\n\n```output\n1\n```\n\n"),
    "options": repeated('a="b ', "```python ", "\n```\n"),
    "comments in a caption": repeated("<!--", '```python caption="', '"\n```\n'),
    "claims in a caption": repeated("1<!--= a -->", '```python caption="', '"\n```\n'),
    "backticks of many lengths": lambda n: (
        FRONT + " a ".join("`" * i for i in range(int((2 * n) ** 0.5)))
    ),
    "one run of backticks": repeated("`"),
    "backticks in an output": repeated("`", "```python\nx\n```\n\n~~~output\n", "\n~~~\n"),
    "comments that nobody closes": repeated("a <!--= "),
    "comments that nobody closes, on lines": repeated("<!--\n\n"),
    "claims on one line": repeated("1<!--= a -->"),
    "claims on lines": repeated("1<!--= a -->\n\n"),
    "claims behind code": repeated("x``<!--= a -->"),
    "claims behind formulas on one line": repeated("$$1$$<!--= a --> "),
    "claims behind formulas on lines": repeated("$$1$$<!--= a -->\n\n"),
    "claims in a table": repeated("|1<!--= a -->|2|\n", "|a|b|\n|-|-|\n"),
    "claims of many blocks": repeated("```python\na=1\n```\n\n1<!--= b -->\n\n"),
    "above, one number": above(repeated("1 = a\n"), repeated("1 ")),
    "above, many numbers": above(counted("{} = a\n"), counted("{} ")),
    "above, one word": above(repeated("x = a\n"), repeated("`x` ")),
    "above, again and again": repeated("<!--above\n1 = a\n-->\n\n", "1 " * 500 + "\n\n"),
    "above, wrong again and again": repeated("<!--above\nq = a\n-->\n\n", "1 " * 500 + "\n\n"),
    "lists, deep": lambda n: FRONT + "".join(" " * 4 * (i % 40) + "- a\n" for i in range(n // 84)),
    "quotes, deep": repeated("> " * 60 + "x\n"),
    "blanks": repeated(" "),
    "dollars": repeated("$"),
    "dollars and letters": repeated("$a "),
    "escaped dollars": repeated("$a\\$"),
    "digits in a formula": repeated("7", "$", "$"),
    "rows in a formula": repeated("\\\\[ ", "$", "$"),
    "brackets": repeated("["),
    "links": repeated("](", "a"),
    "footnotes": repeated("[^a]: b 1999\n"),
    "years": repeated("1999 "),
    "years on lines": repeated("in 1999,\n"),
    "braces in a heading": repeated("#a", "# {"),
    "a long id": repeated("a", "# {#"),
    "pipes": repeated("|", "|a|\n"),
    "rules": repeated("* ", "", "x"),
    "groups of digits": repeated("100,", "", "10"),
    "exponents": repeated("1e1_"),
    "hyphens": repeated("aa-1"),
    "dots": repeated("1."),
    "signs": repeated("-a_"),
    "front matter that nobody closes": lambda n: "---\n" + "a\n" * (n // 2),
    "carriage returns": repeated("a\r\r\n"),
    "control characters": repeated("\x00\x1b\x0c\u2028"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_cost_grows_with_the_text_and_no_faster(family: str, cost: Callable[[str], int]) -> None:
    """Twice the text adds twice the cost; if it grew with the square, four times."""
    small, medium, large = (cost(FAMILIES[family](size)) for size in (2_000, 4_000, 8_000))
    assert large - medium <= 2.5 * (medium - small) + 500


@pytest.mark.parametrize(
    "text",
    [
        FAMILIES[name](300_000)
        for name in (
            "a long id",
            "braces in a heading",
            "comments in a caption",
            "digits in a formula",
            "dollars",
            "escaped dollars",
            "exponents",
            "hyphens",
            "links",
            "rows in a formula",
            "rules",
            "signs",
        )
    ],
)
def test_no_pattern_goes_back_and_forth(text: str) -> None:
    """What a pattern does inside is not counted; going back, these would take hours."""
    go_through(parse(Source("page.md", text)))
