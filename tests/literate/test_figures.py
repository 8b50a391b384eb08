"""Figures and rich results: shown once, in place, with words, in the page's colours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from literate import pipeline
from literate.errors import ExitStatus, exit_status
from literate.pipeline import Page
from literate.results import ChapterResult
from literate.svg import UnreadableSvgError, for_file, for_page

Run = Callable[..., Page]

IMPORT = "import matplotlib.pyplot as plt\n"


def block(code: str, options: str = 'alt="a line"') -> str:
    return f"```python {options}\n{code}\n```\n\n"


def kinds(page: Page) -> list[list[str]]:
    """For each block, what it shows, in order."""
    return [
        [
            next(iter(part.data)) if hasattr(part, "data") else part.text.strip()
            for part in outcome.parts
        ]
        for outcome in page.result.blocks.values()
    ]


def inserts(page: Page) -> str:
    return "".join(pipeline.rendered(page).inserts.values())


SVG = "image/svg+xml"


@pytest.mark.parametrize(
    ("title", "code", "shown"),
    [
        ("drawn", "plt.plot([1, 2])", [SVG]),
        ("drawn and silenced", "plt.plot([1, 2]);", [SVG]),
        ("shown", "plt.plot([1, 2])\nplt.show()", [SVG]),
        ("last expression", "figure, axes = plt.subplots()\nfigure", [SVG]),
        ("displayed", "figure, axes = plt.subplots()\ndisplay(figure)", [SVG]),
        ("without pyplot", "from matplotlib.figure import Figure\nFigure()", [SVG]),
        ("two", "plt.figure(); plt.plot([1]); plt.figure(); plt.plot([2]);", [SVG, SVG]),
        ("in place", "print(1)\nplt.plot([1])\nplt.show()\nprint(2)", ["1", SVG, "2"]),
        ("after show", "plt.plot([1])\nplt.show()\nplt.plot([2])\nplt.show()", [SVG, SVG]),
        ("text of last expression", "print(1)\nplt.title('t')", ["1", SVG]),
        ("closed", "plt.plot([1]); plt.close()", []),
    ],
)
def test_figure_is_shown_once(run_page: Run, title: str, code: str, shown: list[str]) -> None:
    page = run_page(block(IMPORT + code) + block("print(plt.get_fignums())", ""))
    assert kinds(page) == [shown, ["[]"]]


def test_figure_of_an_earlier_block_can_be_shown_again(run_page: Run) -> None:
    page = run_page(block(IMPORT + "figure, axes = plt.subplots();") + block("figure"))
    assert kinds(page) == [[SVG], [SVG]]


def test_figure_is_text_in_the_colours_of_the_page(run_page: Run) -> None:
    code = IMPORT + "plt.plot([1, 2])\nplt.title('a <b> & c')\nplt.xlabel('time')"
    options = 'alt="a &quot; <line>" caption="See `x < y`." id="fig-1"'
    html = inserts(run_page(f"~~~python {options}\n{code}\n~~~\n"))
    assert html.startswith('<figure class="literate-figure" id="fig-1" data-search-exclude>')
    assert "<figcaption>See <code>x &lt; y</code>.</figcaption>" in html
    assert "a &lt;b&gt; &amp; c</text>" in html
    assert "currentColor" in html
    assert not re.search(r"#000000|#ffffff|<metadata|font-family|\*\{", html)
    assert 'role="img" aria-label="a &amp;quot; &lt;line&gt;"' in html


def test_ids_of_two_drawings_on_a_page_differ(run_page: Run) -> None:
    page = run_page(block(IMPORT + "plt.plot([1, 2])") + block("plt.plot([1, 2])"))
    html = inserts(page)
    ids = re.findall(r' id="([^"]+)"', html)
    assert ids
    assert len(ids) == len(set(ids))
    references = re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', html)
    assert {a or b for a, b in references} == set(ids)


def test_same_page_gives_the_same_bytes(run_page: Run) -> None:
    body = block(IMPORT + "plt.plot([1, 2])\nplt.imshow([[1, 2]])")
    assert inserts(run_page(body)) == inserts(run_page(body))


def test_result_of_a_page_travels_as_json_and_back(run_page: Run) -> None:
    body = block(IMPORT + "print(1)\nplt.plot([1, 2])") + "1<!--= 1 --> 2<!--= nosuch -->\n\n"
    result = run_page(body + block("1 / 0", "")).result
    assert result.failed
    assert ChapterResult.from_json(json.loads(json.dumps(result.to_json()))) == result


def test_figure_without_words_is_a_finding(run_page: Run) -> None:
    page = run_page(block(IMPORT + "plt.plot([1, 2]);", ""))
    [finding] = page.findings
    assert (finding.rule, finding.where.line) == ("figure-without-alt", 4)
    assert exit_status(page.findings) is ExitStatus.FINDINGS


def test_words_without_a_figure_are_a_finding(run_page: Run) -> None:
    page = run_page(block("1;", 'alt="a" caption="b"'))
    assert [finding.rule for finding in page.findings] == ["option-without-figure"] * 2


def test_very_large_figure_stands_as_pixels_with_a_warning(run_page: Run) -> None:
    page = run_page(block(IMPORT + "plt.scatter(range(9000), range(9000));"))
    assert kinds(page) == [["image/png"]]
    assert [finding.rule for finding in page.findings] == ["figure-large"]
    assert exit_status(page.findings) is ExitStatus.CLEAN
    assert '<img src="data:image/png;base64,' in inserts(page)
    assert 'alt="a line"' in inserts(page)


RICH = """\
class Rich:
    def _repr_html_(self): return "<b>bold</b>"
    def __repr__(self): return "plain"
"""


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("Rich()", ["text/html"]),
        ("Rich();", []),
        ("print(Rich())", ["plain"]),
        ("display(Rich()); display('text')", ["text/html", "'text'"]),
        (
            "from IPython.display import SVG\nSVG('<svg xmlns=\"http://www.w3.org/2000/svg\"/>')",
            [SVG],
        ),
        (
            "from IPython.display import Markdown\nMarkdown('*a*')",
            ["<IPython.core.display.Markdown object>"],
        ),
    ],
)
def test_rich_result_shows_as_in_a_notebook(run_page: Run, code: str, shown: list[str]) -> None:
    assert kinds(run_page(block(RICH + code))) == [shown]


def test_rich_html_stands_on_the_page_as_it_is(run_page: Run) -> None:
    html = inserts(run_page(block(RICH + "Rich()", 'alt="words" volatile')))
    assert html == (
        '<figure class="literate-figure literate-volatile" aria-label="words"'
        ' data-search-exclude><span class="literate-label">from this build</span>'
        "<b>bold</b></figure>"
    )


def test_plain_markdown_comes_with_files(run_page: Run) -> None:
    page = run_page(
        '- a\n\n    ```python alt="a [b]" caption="Up." id="fig-u"\n'
        "    import matplotlib.pyplot as plt\n    plt.plot([1, 2])\n    ```\n\n- b\n"
    )
    plain = pipeline.plain(page)
    assert plain.markdown.endswith(
        "    ```\n\n    ![a (b)](page-figures/fig-u-0.svg)\n\n    *Up.*\n\n- b\n"
    )
    [(name, data)] = plain.files.items()
    assert name == "page-figures/fig-u-0.svg"
    assert b"prefers-color-scheme:dark" in data
    assert for_file(data.decode()).startswith("<svg")


@pytest.mark.parametrize("text", ["", "<p/>", "<svg>", "text"])
def test_what_is_no_svg_is_refused(text: str) -> None:
    with pytest.raises(UnreadableSvgError):
        for_page(text, "a-", "b")


def test_svg_of_others_keeps_its_own_colours_and_loses_its_size() -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="72pt" height="10" viewBox="0 0 1 1">'
        '<defs><g id="a"/><g id="unused"/></defs><use href="#a" fill="#00000080"/>'
        '<path d="M 1.23456,2\n L -0.0001,3" style="stroke:black;fill:url(#a)"/></svg>'
    )
    html = for_page(svg, "p-", "")
    assert 'width="72pt"' not in html
    assert 'style="width:96px"' in html
    assert 'aria-hidden="true"' in html
    assert '<use fill="#00000080" xlink:href="#p-a"' in html
    assert "unused" not in html
    assert 'd="M 1.2,2 L 0,3"' in html
    assert "stroke:currentColor;fill:url(#p-a)" in html


def absolute(path: str) -> list[tuple[str, list[Decimal]]]:
    """The points that a path goes through, whichever way it is written."""
    here = start = (Decimal(0), Decimal(0))
    found: list[tuple[str, list[Decimal]]] = []
    for command, rest in re.findall(r"([a-zA-Z])([^a-zA-Z]*)", path):
        numbers = [Decimal(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", rest)]
        if command == "h":
            numbers = [numbers[0], Decimal(0)]
        elif command == "v":
            numbers = [Decimal(0), numbers[0]]
        points = list(zip(numbers[::2], numbers[1::2], strict=True))
        if command.islower():
            points = [(here[0] + x, here[1] + y) for x, y in points]
        kind = {"H": "L", "V": "L"}.get(command.upper(), command.upper())
        found.append((kind, [number for point in points for number in point]))
        here = points[-1] if points else start
        start = here if kind == "M" else start
    return found


NUMBERS = st.integers(-9999, 9999).map(lambda tenths: f"{tenths / 10:g}")
COUNTS = {"M": 2, "L": 2, "Q": 4, "C": 6, "Z": 0}
STEPS = st.sampled_from("MLLQCZ").flatmap(
    lambda command: st.lists(NUMBERS, min_size=COUNTS[command], max_size=COUNTS[command]).map(
        lambda numbers: " ".join([command, *numbers])
    )
)


@given(st.lists(STEPS, max_size=9))
def test_path_in_steps_goes_through_the_same_points(steps: list[str]) -> None:
    path = " ".join(["M 0 0", *steps])
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><path d="{path}"/></svg>'
    [short] = re.findall(r' d="([^"]*)"', for_page(svg, "x", ""))
    assert absolute(short) == absolute(path)


@pytest.mark.parametrize(
    "path", ["m 1 1 l 2 2", "M 1 1 A 1 1 0 0 0 2 2", "M 1 1 2 2", "M 1", "oops"]
)
def test_path_of_another_kind_stays_as_it_is(path: str) -> None:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg"><path d="{path}"/></svg>'
    assert f' d="{path}"' in for_page(svg, "x", "")
