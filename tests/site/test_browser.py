"""The built site in a real browser: what a reader sees, with and without a mouse or scripts."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import pytest
from playwright.sync_api import Browser, Locator, Page

WIDTHS = (360, 1280)
SCHEMES = ("light", "dark")
ROOT = Path(__file__).resolve().parents[2]
CHAPTER = "/chapters/attention/"

# These take a formula for nothing, which screen readers do not (dequelabs/axe-core#3285).
DEAF_TO_FORMULAS = {"empty-heading", "empty-table-header"}

# Whatever sticks out to the right and stands in nothing that can be scrolled.
CUT_OFF = """() => {
  const width = document.documentElement.clientWidth
  const scrolls = (element) => element && element !== document.documentElement && (
    ["auto", "scroll"].includes(getComputedStyle(element).overflowX) ||
    scrolls(element.parentElement))
  const found = [...document.querySelectorAll(".md-content *")].filter((element) => {
    const box = element.getBoundingClientRect()
    return box.width && box.right > width + 1 && !scrolls(element)
  })
  const wide = document.documentElement.scrollWidth
  const names = found.slice(0, 3).map((element) => element.outerHTML.slice(0, 80))
  return wide > width || names.length ? [`${wide} px of ${width}`, ...names] : []
}"""

# Of tokens of code, cells of maps and parts of formulas that look the same, the first stands for
# all: there are thousands, and their colours take most of the time.
AXE_RUN = """() => {
  const seen = new Set()
  const parts = ".highlight code span[class], .attention-map td, math *"
  document.querySelectorAll(parts).forEach((part) => {
    const style = getComputedStyle(part)
    const around = part.closest(".hll, details, .admonition, th, td:not(.attention-map td)")
    const look = [style.color, style.backgroundColor, style.fontSize, around?.className].join()
    part.toggleAttribute("data-seen", seen.has(look))
    seen.add(look)
  })
  axe.configure({rules: [{id: "color-contrast", selector: "*:not([data-seen])"}]})
  return axe.run(document, {resultTypes: ["violations"]})
}"""
OPEN_ALL = 'document.querySelectorAll("details").forEach((fold) => { fold.open = true })'


@dataclass
class Visit:
    """What was seen of one page."""

    path: str
    said: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    cut_off: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def axe() -> str:
    """The script that looks for what keeps readers out."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.fail("axe-core is missing: pip install -r requirements.txt")
    return Path(found.origin).with_name("axe.min.js").read_text("utf-8")


@pytest.fixture(scope="module")
def paths(site: Path) -> list[str]:
    """Where the site's pages are."""
    files = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    return ["/" + file.removesuffix("index.html") for file in files]


def faults(page: Page, axe: str) -> list[str]:
    """What axe-core finds on a page as it is now, a line each."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(axe)
    found = page.evaluate(AXE_RUN)
    return [
        f"{rule['id']}: {node['html'][:120]}: {node['failureSummary']}"
        for rule in found["violations"]
        for node in rule["nodes"]
        if not (rule["id"] in DEAF_TO_FORMULAS and "<math" in node["html"])
    ]


def visit(page: Page, address: str, path: str, axe: str) -> Visit:
    """Open a page, then everything on it that is folded."""
    seen = Visit(path)
    page.on("console", lambda said: seen.said.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: seen.said.append(str(error)))
    page.on("request", lambda request: seen.asked.append(request.url))
    page.on("requestfailed", lambda request: seen.failed.append(request.url))
    page.on(
        "response",
        lambda answer: seen.failed.append(answer.url) if answer.status >= 400 else None,
    )
    page.goto(address + path)
    page.evaluate("document.fonts.ready.then(() => true)")
    seen.cut_off += page.evaluate(CUT_OFF)
    page.evaluate(OPEN_ALL)
    seen.cut_off += page.evaluate(CUT_OFF)
    seen.faults += faults(page, axe)
    page.wait_for_load_state("networkidle")
    page.close()
    return seen


@pytest.fixture(
    scope="module",
    params=[(width, scheme) for width in WIDTHS for scheme in SCHEMES],
    ids=lambda param: f"{param[1]}, {param[0]} px",
)
def visits(
    request: pytest.FixtureRequest, browser: Browser, address: str, axe: str, paths: list[str]
) -> Iterator[list[Visit]]:
    """Every page, seen once in each width and scheme."""
    width, scheme = request.param
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
    )
    yield [visit(context.new_page(), address, path, axe) for path in paths]
    context.close()


def test_page_has_no_error_and_no_failed_request(visits: list[Visit]) -> None:
    found = [f"{seen.path}: {fault}" for seen in visits for fault in seen.said + seen.failed]
    assert not found, "\n".join(found)


def test_page_asks_no_other_host(visits: list[Visit], address: str) -> None:
    own = (f"{address}/", "data:", "blob:")
    found = [
        f"{seen.path}: {url}" for seen in visits for url in seen.asked if not url.startswith(own)
    ]
    assert all(seen.asked for seen in visits)
    assert not found, "\n".join(found)


def test_page_never_scrolls_sideways(visits: list[Visit]) -> None:
    found = [f"{seen.path}: {fault}" for seen in visits for fault in seen.cut_off]
    assert not found, "\n".join(found)


def test_page_is_open_to_all_readers(visits: list[Visit]) -> None:
    found = [f"{seen.path}: {fault}" for seen in visits for fault in seen.faults]
    assert not found, "\n".join(found)


# Without scripts --------------------------------------------------------------------------


@pytest.fixture(scope="module", params=WIDTHS, ids=lambda width: f"{width} px")
def still(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    """A page on which no script runs."""
    context = browser.new_context(
        java_script_enabled=False, viewport={"width": request.param, "height": 900}
    )
    yield context.new_page()
    context.close()


SEEN = """(elements) => elements.map((element) => {
  const box = element.getBoundingClientRect()
  const shown = element.checkVisibility({opacityProperty: true, visibilityProperty: true})
  return shown && box.width > 1 && box.height > 1 ? "" : element.outerHTML.slice(0, 100)
})"""


@pytest.mark.parametrize(
    ("what", "written"),
    [
        pytest.param(".md-content math", "$$", id="formulas"),
        pytest.param(".highlight pre", "```python", id="code"),
        pytest.param(".literate-output > pre", "```output", id="outputs"),
        pytest.param(".literate-figure > :is(svg, img)", ' alt="', id="figures"),
        pytest.param("table.attention-map", "heatmap(", id="maps"),
    ],
)
def test_chapter_shows_all_without_scripts(
    still: Page, address: str, what: str, written: str
) -> None:
    source = (ROOT / "docs/chapters/attention.md").read_text("utf-8")
    still.goto(address + CHAPTER)
    still.evaluate(OPEN_ALL)
    shown = still.eval_on_selector_all(what, SEEN)
    assert bool(shown) == (written in source)
    assert not list(filter(None, shown))


def test_page_can_be_read_without_scripts(still: Page, address: str, paths: list[str]) -> None:
    for path in paths:
        still.goto(address + path)
        assert still.locator(".md-content h1").is_visible(), path
        assert still.evaluate(CUT_OFF) == [], path
        still.evaluate(OPEN_ALL)
        texts = ".md-content :is(h1, h2, h3, p, li, td, th, figcaption, figure, svg, img)"
        shown = still.eval_on_selector_all(texts, SEEN)
        assert not list(filter(None, shown)), path


# By hand ----------------------------------------------------------------------------------


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A reader's fresh window."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce"
    )
    yield context.new_page()
    context.close()


def test_chosen_scheme_outlives_a_reload(page: Page, address: str) -> None:
    def scheme() -> tuple[str | None, Any]:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return page.locator("body").get_attribute("data-md-color-scheme"), colour

    page.goto(address + CHAPTER)
    light = scheme()
    page.get_by_title("Switch to dark mode").click()
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    dark = scheme()
    assert dark[1] != light[1]
    page.reload()
    assert scheme() == dark
    page.get_by_title("Switch to light mode").click()
    page.wait_for_function("document.body.dataset.mdColorScheme === 'default'")
    assert scheme() == light


def test_copy_button_copies_the_code_and_not_its_output(page: Page, address: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    page.goto(address + CHAPTER)
    block = page.locator(".highlight:has(+ .literate-output)").filter(has_text="softmax").first
    block.hover()
    block.get_by_role("button").click()
    page.get_by_text("Copied to clipboard").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.strip() == cast(str, block.locator("code").text_content()).strip()
    assert "softmax" in copied


def test_exercise_and_its_answer_open_by_keyboard(page: Page, address: str) -> None:
    page.goto(address + CHAPTER)
    exercise = page.locator("details.question").first
    answer = exercise.locator("details").first
    expect_closed(answer)
    for fold in (exercise, answer):
        expect_closed(fold)
        fold.locator("summary").first.focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Enter")
        assert fold.get_attribute("open") is not None
    assert answer.locator(".literate-output").first.is_visible()


def expect_closed(fold: Locator) -> None:
    assert fold.get_attribute("open") is None


WITHOUT_OUTPUTS = """() => {
  const content = document.querySelector(".md-content").cloneNode(true)
  content.querySelectorAll(".literate-output").forEach((part) => part.remove())
  return content.textContent
}"""


def search(page: Page, word: str) -> None:
    box = page.get_by_role("textbox", name="Search")
    box.fill("")
    box.press_sequentially(word)


def numbers_of_outputs_alone(page: Page, address: str, paths: list[str]) -> list[str]:
    """Numbers that the chapter's outputs hold and no other text of the site does."""
    rest = ""
    for path in paths:
        page.goto(address + path)
        rest += page.evaluate(WITHOUT_OUTPUTS)
    page.goto(address + CHAPTER)
    outputs = " ".join(page.locator(".literate-output code").all_text_contents())
    return [word for word in re.findall(r"\d\.\d{3,}", outputs) if word not in rest]


def test_search_finds_the_words_of_the_text_and_not_those_of_outputs(
    page: Page, address: str, paths: list[str]
) -> None:
    unwanted = numbers_of_outputs_alone(page, address, paths)
    assert unwanted
    found = page.locator(".md-search-result__meta")
    page.keyboard.press("/")
    for word in unwanted[:3]:
        search(page, word)
        found.filter(has_text="No matching documents").wait_for()
        search(page, "kettle")
        found.filter(has_text="1 matching document").wait_for()
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url(re.compile(re.escape(address + CHAPTER)))


def test_every_entry_of_the_contents_leads_to_its_heading(page: Page, address: str) -> None:
    page.goto(address + CHAPTER, wait_until="networkidle")
    entries = page.locator(".md-sidebar--secondary a.md-nav__link")
    links = [cast(str, link.get_attribute("href")) for link in entries.all()]
    assert len(links) > 5
    for link in links:
        page.locator(f".md-sidebar--secondary a.md-nav__link[href={json.dumps(link)}]").click()
        page.wait_for_function(
            """(id) => {
              const top = document.getElementById(id).getBoundingClientRect().top
              const last = scrollY + innerHeight >= document.documentElement.scrollHeight - 1
              return location.hash === `#${id}` && top >= 0 && (top < 200 || last)
            }""",
            arg=link.removeprefix("#"),
        )


def test_first_tab_offers_to_skip_to_the_text(page: Page, address: str, paths: list[str]) -> None:
    page.goto(address + CHAPTER)
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to content"
    assert skip.evaluate("(link) => getComputedStyle(link).opacity") == "1"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.locator(".md-content :focus").count() == 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_menu_and_search_of_a_small_screen_are_open_to_all_readers(
    page: Page, address: str, axe: str, scheme: Literal["light", "dark"]
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(address)
    page.locator("label.md-header__button[for=__drawer]").click()
    page.locator(".md-sidebar--primary .md-nav__title").first.wait_for()
    found = faults(page, axe)
    page.keyboard.press("Escape")
    page.reload()
    page.locator("label.md-header__button[for=__search]").click()
    search(page, "kettle")
    page.locator(".md-search-result__link").first.wait_for()
    found += faults(page, axe)
    assert not found, "\n".join(found)


def test_missing_page_says_so_in_the_look_of_the_site(page: Page, address: str) -> None:
    failed: list[str] = []
    page.on("response", lambda answer: failed.append(answer.url) if answer.status >= 400 else None)
    missing = f"{address}/no/such/page/"
    answer = page.goto(missing, wait_until="networkidle")
    assert answer is not None
    assert answer.status == 404
    assert failed == [missing]
    assert page.locator(".md-content h1").inner_text() == "There is no page here"
    page.get_by_role("link", name="Attention, slowly").first.click()
    page.wait_for_url(f"{address}/")
