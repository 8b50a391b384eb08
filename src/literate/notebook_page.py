"""A notebook as mkdocs-jupyter shows it, made fit for a page of the site; pure.

mkdocs-jupyter sends a page's weight several times over in styles, scripts and copies of
the code, fetches one script from another host, leaves formulas as TeX and drawings
without their words. What is left here is the content, in the elements that a chapter's
own page has, so that one set of styles serves both.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING

from literate.mathematics import MathematicsError, to_mathml

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

__all__ = ["slim"]

_FORMULA = re.compile(
    r"\$\$(?P<display>[^$]+)\$\$|(?<![\\\w])\$(?P<inline>(?!\s)[^$\n]+(?<!\s))\$(?!\d)"
)
_USELESS = re.compile(r"<(style|script)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_SVG = "data:image/svg+xml;base64,"
_OPAQUE = ("pre", "code", "svg", "math")
_FOLDED = {"celltag_hide", "celltag_fold"}


def slim(html: str, resolve: Callable[[str], str] = lambda target: target) -> str:
    """The content of a notebook's page.

    Args:
        html: what mkdocs-jupyter made of the notebook.
        resolve: where a link leads, seen from the page.
    """
    # It comes with mkdocs-jupyter, and is needed nowhere else.
    from bs4 import BeautifulSoup

    # Half of it is styles and scripts, which need no reading.
    soup = BeautifulSoup(_USELESS.sub("", html), "html.parser")
    cells = [cell for cell in soup.select(".jp-Cell") if cell.get("id")]
    pieces = [piece for cell in cells for piece in _cell(soup, cell)]
    page = BeautifulSoup("".join(pieces), "html.parser")
    _title_first(page)
    for listing in page.select(".highlight > pre"):
        if listing.code is None:
            # As the site's own Markdown has it: the theme lets the <code> scroll.
            listing.name, listing.attrs = "code", {}
            listing.wrap(page.new_tag("pre"))
    _mend_links(page, resolve)
    _set_formulas(page)
    return f'<div class="literate-notebook">\n{page}\n</div>'


def _title_first(page: BeautifulSoup) -> None:
    """The page begins with its title, also where a cell stands before it."""
    title, cell = page.find("h1"), page.select_one(".literate-cell")
    if title and cell and page.find() is cell:
        cell.insert_before(title.extract())


def _cell(soup: BeautifulSoup, cell: Tag) -> Iterator[str]:
    """One cell's content: prose as it is, or code with what it put out."""
    prose = cell.select_one(".jp-RenderedMarkdown")
    if prose is not None:
        yield prose.decode_contents()
        return
    code = cell.select_one(".highlight-ipynb pre")
    if code is None:
        return
    prompt = cell.select_one(".jp-InputPrompt")
    count = prompt.get_text(strip=True) if prompt else ""
    inner = code.decode_contents().removeprefix("<span></span>")
    highlighted = f'<div class="highlight"><pre><span></span><code>{inner}</code></pre></div>'
    if _FOLDED & set(cell.get_attribute_list("class")):
        highlighted = (
            f'<details class="literate-fold"><summary>Code</summary>{highlighted}</details>'
        )
    volatile = "celltag_volatile" in cell.get_attribute_list("class")
    outputs = "".join(_output(part, volatile) for part in cell.select(".jp-OutputArea-output"))
    label = f'<span class="literate-count">{escape(count)}</span>' if count else ""
    yield f'\n<div class="literate-cell">{label}{highlighted}{outputs}</div>\n'


def _output(part: Tag, volatile: bool) -> str:
    """One output: a drawing or HTML in a figure, else text in a box."""
    kind, label = (" literate-volatile", "not compared") if volatile else ("", "output")
    tag = f'<span class="literate-label">{label}</span>'
    if part.pre is None:
        mark = f'class="literate-figure{kind}" data-search-exclude'
        return f"<figure {mark}>{tag if volatile else ''}{_drawing(part)}</figure>"
    text = part.pre.decode_contents().strip("\n")
    return (
        f'<div class="literate-output{kind}" data-search-exclude>{tag}'
        f'<pre tabindex="0" role="group" aria-label="{label}">'
        f"<code>{text}\n</code></pre></div>"
    )


def _drawing(part: Tag) -> str:
    """A drawing inside the page, where it follows the page's colours, or HTML as it is."""
    image = part.find("img")
    source = str(image.get("src", "")) if image else ""
    if source.startswith(_SVG):
        return base64.b64decode(source.removeprefix(_SVG)).decode("utf-8")
    return part.decode_contents()


def _mend_links(page: BeautifulSoup, resolve: Callable[[str], str]) -> None:
    """Links lead where they should, headings have Material's mark, no id stands twice."""
    taken: set[str] = set()
    for heading in page.find_all(re.compile(r"^h[1-6]$")):
        taken.add(str(heading.get("id")))
    for link in page.find_all("a"):
        target, name = link.get("href"), link.get("id")
        if "anchor-link" in link.get_attribute_list("class"):
            link["class"], link["title"] = "headerlink", "Link to this section"
        elif target:
            link["href"] = resolve(str(target))
        if name:
            _unwrap(link)
            if name in taken:
                link.decompose()
            taken.add(str(name))

    for image in page.find_all("img"):
        if not str(image.get("src", "")).startswith("data:"):
            image["src"] = resolve(str(image.get("src", "")))


def _unwrap(anchor: Tag) -> None:
    """Take away the paragraph that holds nothing but an anchor."""
    holder = anchor.parent
    if holder is not None and holder.name == "p" and not holder.get_text(strip=True):
        holder.unwrap()


def _set_formulas(page: BeautifulSoup) -> None:
    """MathML in the place of TeX between dollar signs."""
    from bs4 import BeautifulSoup, Comment

    for text in page.find_all(string=True):
        if isinstance(text, Comment):
            text.extract()
        elif "$" in text and not any(text.find_parent(name) for name in _OPAQUE):
            # Reading a text of the page again as HTML wants its `<` and `&` back.
            mended = _FORMULA.sub(_mathml, escape(str(text), quote=False))
            text.replace_with(BeautifulSoup(mended, "html.parser"))


def _mathml(found: re.Match[str]) -> str:
    tex = found["display"] or found["inline"]
    display = found["display"] is not None
    tex = tex.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    try:
        mathml = to_mathml(tex.strip(), display=display)
    except MathematicsError:
        # The chapter's own page says what is wrong with it.
        return found[0]
    if display:
        return f'<span class="math-block" role="group" aria-label="formula">{mathml}</span>'
    return f'<span class="math-inline">{mathml}</span>'
