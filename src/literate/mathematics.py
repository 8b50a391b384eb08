r"""TeX to MathML, at build time.

A browser sets MathML by itself, so that a page with formulas needs no script. The formulas arrive
in the HTML that `pymdownx.arithmatex` writes with `generic: true`: `<span class="arithmatex">`
around `\(…\)` in a line, `<div class="arithmatex">` around `\[…\]` on lines of their own.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from math_core import LatexError, LatexToMathML

LONGEST_FORMULA = 5000
"""Characters. The converter is recursive, and deep nesting would take the whole process down."""


class MathematicsError(ValueError):
    """TeX that cannot be shown.

    Attributes:
        message: What is wrong, without a place.
        offset: Where in the TeX, counted in characters from 0; None where that is not known.
    """

    def __init__(self, message: str, offset: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset


@dataclass(frozen=True)
class Problem:
    """A formula of a page that stayed as TeX.

    Attributes:
        tex: The formula as it was written, without its delimiters.
        message: What is wrong with it.
        offset: Where in `tex`, counted in characters from 0; None where that is not known.
    """

    tex: str
    message: str
    offset: int | None

    def __str__(self) -> str:
        place = "" if self.offset is None else f" at character {self.offset + 1}"
        return f"formula `{self.tex}`{place}: {self.message}"


@dataclass(frozen=True)
class _Formula:
    start: int
    end: int
    tex: str
    attributes: str
    display: bool


def to_mathml(tex: str, *, display: bool) -> str:
    r"""Convert one formula.

    The result carries its TeX as an annotation, which browsers neither show nor read out.

    Args:
        tex: The formula without delimiters, for example `\sqrt{d}`.
        display: True for a formula on lines of its own.

    Returns:
        One `<math>` element.

    Raises:
        MathematicsError: The formula is longer than `LONGEST_FORMULA`, or is not TeX that the
            converter knows.
    """
    if len(tex) > LONGEST_FORMULA:
        raise MathematicsError(f"a formula of {len(tex):,} characters is too long", LONGEST_FORMULA)
    converter = LatexToMathML(fancy_error=False, annotation=True)
    try:
        return converter.convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        raise _located(str(error)) from None


def _located(report: str) -> MathematicsError:
    """Take `12: what is wrong.` apart."""
    found = re.fullmatch(r"(\d+): (.*?)\.?", report, re.DOTALL)
    if found is None:
        return MathematicsError(report, None)
    return MathematicsError(found[2], int(found[1]))


def replace_formulas(page: str) -> tuple[str, list[Problem]]:
    r"""Put MathML in the place of all formulas of a page.

    A formula that cannot be converted stays as TeX, marked with the class `math-error`. What
    stands in `<pre>` or `<code>` is left alone.

    Args:
        page: HTML, as the Markdown extensions left it.

    Returns:
        The HTML with MathML, and the formulas that could not be converted, in the page's order.
    """
    pieces: list[str] = []
    problems: list[Problem] = []
    done = 0
    for formula in _formulas(page):
        pieces.append(page[done : formula.start])
        done = formula.end
        try:
            mathml = to_mathml(formula.tex, display=formula.display)
        except MathematicsError as error:
            problems.append(Problem(formula.tex, error.message, error.offset))
            mathml = _unconverted(formula.tex, error.message)
        pieces.append(_wrapped(mathml, formula))
    pieces.append(page[done:])
    return "".join(pieces), problems


def _unconverted(tex: str, message: str) -> str:
    return f'<code class="math-error" title="{html.escape(message)}">{html.escape(tex)}</code>'


def _wrapped(mathml: str, formula: _Formula) -> str:
    """Put a formula into the element that arithmatex had for it.

    Search of Material for MkDocs finds a formula in a line by its TeX: the letters of the MathML
    run together would read 10−7 and, for a root of d, just d. It passes over display formulas.
    """
    if formula.display:
        # It can scroll sideways, so that the page need not; with the focus also by keyboard.
        attributes = _MARKED.sub(r"\1math-block", formula.attributes, count=1)
        attributes += ' role="group" aria-label="formula" tabindex="0" data-search-exclude'
        # Nobody reads the TeX here: search passes over the block, and browsers never show it.
        return f"<div{attributes}>{_ANNOTATION.sub('', mathml)}</div>"
    attributes = _MARKED.sub(r"\1math-inline", formula.attributes, count=1)
    # The TeX has its `<` escaped, so these can only be the tags.
    mathml = mathml.replace("<semantics>", '<semantics><mstyle data-search-exclude="">')
    mathml = mathml.replace("<annotation ", "</mstyle><annotation ")
    return f"<span{attributes}>{mathml}</span>"


_ANNOTATION = re.compile(r"<annotation [^<]*</annotation>")

_MARKUP = re.compile(r"<!--|<(?=[a-zA-Z])")

_TAG = re.compile(r"""<(?P<name>[a-zA-Z][^\s/>]*+)(?P<attributes>(?:[^"'>]|"[^"]*"|'[^']*')*+)>""")

# Elements whose content is text and no formula, and what ends them.
_OPAQUE = {
    name: re.compile(rf"</{name}\s*>", re.IGNORECASE)
    for name in ("pre", "code", "script", "style", "textarea")
}

_MARKED = re.compile(r"""(\sclass=["'])arithmatex(?=[\s"'])""")

_CONTENT = {
    "span": re.compile(r"\s*\\\((?P<tex>[^<]*)\\\)\s*</span>"),
    "div": re.compile(r"\s*\\\[(?P<tex>[^<]*)\\\]\s*</div>"),
}


def _formulas(page: str) -> Iterator[_Formula]:
    """Find the formulas, each character being looked at a fixed number of times.

    Whatever is opened and not closed, a comment, a tag, a `<pre>`, swallows the rest of the page,
    as it does in a browser.
    """
    position = 0
    while markup := _MARKUP.search(page, position):
        if markup[0] == "<!--":
            end = page.find("-->", markup.end())
            position = end + 3 if end >= 0 else len(page)
            continue
        tag = _TAG.match(page, markup.start())
        if tag is None:
            return
        position = tag.end()
        if (closing := _OPAQUE.get(tag["name"].lower())) is not None:
            closed = closing.search(page, position)
            position = closed.end() if closed else len(page)
        elif formula := _formula(page, tag):
            yield formula
            position = formula.end


def _formula(page: str, tag: re.Match[str]) -> _Formula | None:
    content = _CONTENT.get(tag["name"])
    if content is None or not _MARKED.search(tag["attributes"]):
        return None
    found = content.match(page, tag.end())
    if found is None:
        return None
    tex = html.unescape(found["tex"]).strip()
    return _Formula(tag.start(), found.end(), tex, tag["attributes"], tag["name"] == "div")
