"""TeX becomes MathML, in the right places of a page and nowhere else."""

import re
import time
import xml.etree.ElementTree as ET
from html.entities import name2codepoint
from pathlib import Path

import markdown
import pytest
from hypothesis import given
from hypothesis import strategies as st

from literate import mathematics
from literate.mathematics import (
    LONGEST_FORMULA,
    MathematicsError,
    replace_formulas,
    to_mathml,
)

ASSETS = Path(mathematics.__file__).parent / "assets"


def tree(mathml: str) -> ET.Element:
    """The MathML as XML, which has no entities with names but five."""
    known = {**name2codepoint, "ApplyFunction": 0x2061}
    for name in set(re.findall(r"&(\w+);", mathml)) - {"lt", "gt", "amp", "quot"}:
        mathml = mathml.replace(f"&{name};", chr(known[name]))
    return ET.fromstring(mathml)


def shown(mathml: str) -> str:
    """The characters that a reader sees, in order."""
    root = tree(mathml)
    for semantics in root.iter("semantics"):
        for annotation in semantics.findall("annotation"):
            semantics.remove(annotation)
    return re.sub("[\u2061-\u2064]", "", "".join(root.itertext()))


def arithmatex(text: str) -> str:
    """The HTML that a site's Markdown makes of formulas."""
    return markdown.markdown(
        text,
        extensions=["pymdownx.arithmatex", "pymdownx.superfences", "attr_list"],
        extension_configs={"pymdownx.arithmatex": {"generic": True}},
    )


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"q \cdot k = \sum_{i=1}^{d} q_i k_i", "q⋅k=∑i=1dqiki"),
        (r"\mathrm{softmax}(s)_i", "softmax(s)i"),
        (r"\frac{e^{s_i}}{\sum_{j=1}^{T} e^{s_j}}", "esi∑j=1Tesj"),
        (r"\mathrm{softmax}\left(\frac{QK^\top}{\sqrt{d}}\right)V", "softmax(QK⊤d)V"),
        (r"\begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}", "[1001]"),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a=b=c"),
        (r"\begin{cases} 0 & j \le i \\ -\infty & j > i \end{cases}", "{0j≤i−∞j>i"),
        (r"\text{the cat} = x_0", "the\N{NO-BREAK SPACE}cat=x0"),
        (r"\operatorname{softmax}(x)", "softmax(x)"),
        (r"-\infty", "−∞"),
        (r"x \in \mathbb{R}^{T \times d}", "x∈ℝT×d"),
        (r"2.4 \times 10^{-7}", "2.4×10−7"),
        ("1{,}024", "1,024"),
        (r"a \odot b", "a⊙b"),
        ("x'_i", "xi′"),
        ("f''", "f″"),
        ("|x|", "|x|"),
        (r"\lVert q \rVert_2", "‖q‖2"),
        (r"\nabla_s\, w_3", "∇sw3"),
        (r"\mathbf{x}", "𝐱"),
        (r"\hat{y}", "yˆ"),
    ],
)
def test_formulas_of_a_chapter_are_set_and_keep_their_tex(tex: str, text: str) -> None:
    for display in (False, True):
        mathml = to_mathml(tex, display=display)
        assert shown(mathml) == text
        assert tree(mathml).findtext(".//annotation") == tex
        assert ('display="block"' in mathml) is display


def test_root_and_fraction_are_built_not_written() -> None:
    root = tree(to_mathml(r"\frac{1}{\sqrt{d}}", display=False))
    assert root.find(".//mfrac/msqrt/mi") is not None


@pytest.mark.parametrize(
    ("tex", "message", "offset"),
    [
        (r"\nonsense x", r'Unknown command "\nonsense"', 0),
        (r"Δ + \nonsense", r'Unknown command "\nonsense"', 4),
        (r"\begin{nonsense}", 'Unknown environment "nonsense"', 6),
        ("a & b", 'Found "&", which may only appear in a table-like environment', 2),
        ("x_a_b", "Duplicate subscript or superscript", 3),
    ],
)
def test_wrong_tex_is_refused_with_its_place(tex: str, message: str, offset: int) -> None:
    with pytest.raises(MathematicsError) as caught:
        to_mathml(tex, display=False)
    assert (caught.value.message, caught.value.offset) == (message, offset)


@pytest.mark.parametrize("tex", ["{" * 100_000, r"\sqrt" * 100_000, "x^{" * 100_000])
def test_formula_too_deep_for_the_converter_is_refused(tex: str) -> None:
    with pytest.raises(MathematicsError, match="too long"):
        to_mathml(tex, display=True)


def test_longest_formula_is_set_however_deep() -> None:
    depth = LONGEST_FORMULA // 2 - 1
    assert to_mathml("{" * depth + "x" + "}" * depth, display=True)


@given(st.text(alphabet=r"\{}^_&<>\"'$#%~abx12 éΣ", max_size=30))
def test_any_text_becomes_mathml_or_is_refused_with_a_place(tex: str) -> None:
    try:
        mathml = to_mathml(tex, display=False)
    except MathematicsError as error:
        place = error.offset
    else:
        assert tree(mathml).findtext(".//annotation") == tex
        return
    assert place is not None
    assert 0 <= place <= len(tex)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        ("a < b > c", "a<b>c"),
        (r"\text{<script>} \&", "<script>&"),
        (r'\text{"x" \& y}', "”x”\N{NO-BREAK SPACE}&y"),
    ],
)
def test_markup_in_tex_is_text(tex: str, text: str) -> None:
    page, problems = replace_formulas(arithmatex(f"${tex}$"))
    assert problems == []
    [mathml] = re.findall("<math>.*</math>", page)
    assert shown(mathml) == text
    assert tree(mathml).findtext(".//annotation") == tex


def test_markup_in_tex_that_fails_is_text() -> None:
    page, _ = replace_formulas(arithmatex(r'$\no{<script>"&}$'))
    assert "<script>" not in page
    assert "\\no{&lt;script&gt;&quot;&amp;}</code>" in page


def test_formulas_in_a_line_and_on_their_own_are_told_apart() -> None:
    page, problems = replace_formulas(arithmatex("Let $d = 4$.\n\n$$\na < b\n$$\n"))
    assert problems == []
    assert page.count("<math>") == 1
    assert page.count('<math display="block">') == 1
    assert "arithmatex" not in page
    assert page.startswith('<p>Let <span class="math-inline"><math>')
    assert page.count('<div class="math-block"') == 1
    assert page.count("<annotation") == page.count(">d = 4</annotation>") == 1


@pytest.mark.parametrize(
    "text",
    [
        "- item $x$\n\n    $$ y $$\n",
        "> quoted $x$\n>\n> $$ y $$\n",
        "1. one\n\n    - two $x$\n\n        $$ y $$\n",
    ],
)
def test_formulas_in_lists_and_quotes_are_set(text: str) -> None:
    page, problems = replace_formulas(arithmatex(text))
    assert problems == []
    assert page.count("<math") == 2


@pytest.mark.parametrize(
    "page",
    [
        r'<pre><span class="arithmatex">\(x\)</span></pre>',
        r'<p><code><span class="arithmatex">\(x\)</span></code></p>',
        r'<PRE><b>1</b><div class="arithmatex">\[x\]</div></PRE>',
        r'<script>"<span class=\"arithmatex\">\\(x\\)</span>"</script>',
        r'<!-- <span class="arithmatex">\(x\)</span> -->',
        r"""<p title='<span class="arithmatex">\(x\)</span>'></p>""",
        r'<pre><span class="arithmatex">\(x\)</span>',
        r'<span class="arithmatex">\(x</span>',
        r'<span class="arithmatex">\(<b>x</b>\)</span>',
        r'<span class="arithmatexes">\(x\)</span>',
        r"<p>It costs \(10\) and $20$.</p>",
        "",
    ],
)
def test_what_is_no_formula_is_left_alone(page: str) -> None:
    assert replace_formulas(page) == (page, [])


def test_code_before_a_formula_does_not_hide_it() -> None:
    page, _ = replace_formulas(arithmatex("`<pre>` and $x$\n\n```\n<pre>$y$\n```\n\n$z$"))
    assert page.count("<math>") == 2
    assert "$y$" in page


def test_attributes_of_a_formula_stay() -> None:
    page, _ = replace_formulas(r'<div id="eq-arithmatex" class="arithmatex wide">\[x\]</div>')
    assert page.startswith('<div id="eq-arithmatex" class="math-block wide" ')


def test_formula_that_fails_stays_readable_and_is_reported() -> None:
    page, problems = replace_formulas(arithmatex("$a$, $\\no < b$ and $c$"))
    assert page.count("<math>") == 2
    assert "\\no &lt; b</code>" in page
    [problem] = problems
    assert (problem.tex, problem.offset) == (r"\no < b", 0)
    assert str(problem) == (r'formula `\no < b` at character 1: Unknown command "\no"')


def test_search_reads_the_tex_of_a_formula_in_a_line() -> None:
    plugin = pytest.importorskip("material.plugins.search.plugin")
    parser = plugin.Parser()
    text = "Divide by $\\sqrt{d_k} = 8$, then:\n\n$$ \\frac{a}{b} $$\n\nAfter."
    parser.feed(replace_formulas(arithmatex(text))[0])
    parser.close()
    found = "".join(part for section in parser.data for part in section.text)
    assert "Divide by \\sqrt{d_k} = 8, then:" in found
    assert "After." in found
    assert "frac" not in found


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        '<a "',
        "<a ",
        "<!--",
        "<pre>",
        "</pre>",
        "<code>",
        r'<span class="arithmatex">\(',
        r'<span class="arithmatex">\(\)',
        r'<span class="arithmatex">\() \) ',
        '<span class="arithmatex">',
    ],
)
def test_pages_that_close_nothing_take_linear_time(piece: str) -> None:
    page = piece * (400_000 // len(piece)) + '"'
    start = time.perf_counter()
    assert replace_formulas(page) == (page, [])
    # Quadratic time would be minutes.
    assert time.perf_counter() - start < 5


def test_stylesheet_names_a_font_that_is_there_with_its_licence() -> None:
    style = (ASSETS / "literate.css").read_text(encoding="utf-8")
    [name] = re.findall(r'url\("([^"]+)"\)', style)
    font = (ASSETS / name).read_bytes()
    assert font.startswith(b"wOF2")
    assert len(font) < 120 * 1024
    licence = (ASSETS / name.replace(".woff2", ".OFL.txt")).read_text(encoding="utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
