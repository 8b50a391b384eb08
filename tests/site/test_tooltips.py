"""Tooltips, of the glossary's terms and of footnotes: WCAG 2.2, success criterion 1.4.13."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

PATH = "/chapters/attention/"
ACTIVE = ".md-tooltip2--active"
LONGER_THAN_ITS_DELAYS = 700
"""Milliseconds after which a tooltip that was to open or to close has done so."""

TOUCHES = """element => {
  window.seen = 0
  const look = () => {
    for (const tip of document.querySelectorAll(".md-tooltip2"))
      if (tip.checkVisibility() && getComputedStyle(tip).opacity > 0) window.seen += 1
    requestAnimationFrame(look)
  }
  look()
  element.addEventListener("click", (event) => {
    window.followed = !event.defaultPrevented
    event.preventDefault()
  })
}"""
"""Count the frames in which a tooltip is seen; stay on the page when the link is followed."""


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 900}, reduced_motion="reduce", has_touch=True
    )
    page = context.new_page()
    page.goto(address + PATH)
    yield page
    context.close()


@pytest.fixture(params=["a.term", ".footnote-ref"])
def link(request: pytest.FixtureRequest, page: Page) -> Locator:
    """A link with a tooltip, in the middle of the window."""
    first = page.locator(f".md-content {request.param}").first
    first.evaluate("element => element.scrollIntoView({block: 'center'})")
    return first


def opened(page: Page) -> Locator:
    """The tooltip, once it is there."""
    expect(page.locator(ACTIVE)).to_have_count(1)
    return page.locator(f"{ACTIVE} > *")


@pytest.mark.parametrize("by", ["pointer", "keyboard"])
def test_escape_closes_it_until_one_comes_back(page: Page, link: Locator, by: str) -> None:
    come, leave = (link.hover, lambda: page.mouse.move(0, 0))
    if by == "keyboard":
        come, leave = (link.focus, link.blur)
    come()
    opened(page)
    page.keyboard.press("Escape")
    expect(page.locator(ACTIVE)).to_have_count(0)
    page.wait_for_timeout(LONGER_THAN_ITS_DELAYS)
    expect(page.locator(ACTIVE)).to_have_count(0)
    leave()
    page.wait_for_timeout(LONGER_THAN_ITS_DELAYS)
    come()
    opened(page)


def test_closed_one_takes_no_clicks(page: Page, link: Locator) -> None:
    link.hover()
    opened(page)
    page.keyboard.press("Escape")
    expect(page.locator(ACTIVE)).to_have_count(0)
    for inner in page.locator(".md-tooltip2 > *").all():
        assert inner.evaluate("element => getComputedStyle(element).pointerEvents") == "none"


def test_pointer_can_move_onto_it(page: Page, link: Locator) -> None:
    link.hover()
    box = opened(page).bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=10)
    page.wait_for_timeout(LONGER_THAN_ITS_DELAYS)
    opened(page)


def test_it_stays_while_the_link_has_the_focus(page: Page, link: Locator) -> None:
    link.focus()
    opened(page)
    page.wait_for_timeout(LONGER_THAN_ITS_DELAYS)
    opened(page)


def test_it_can_be_read(page: Page) -> None:
    page.locator(".md-content a.term").first.hover()
    size = opened(page).evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
    assert size >= 12


def test_tap_follows_the_link_and_nothing_flashes(page: Page, link: Locator) -> None:
    link.evaluate(TOUCHES)
    link.tap()
    page.wait_for_timeout(LONGER_THAN_ITS_DELAYS)
    assert page.evaluate("window.followed") is True
    assert page.evaluate("window.seen") == 0


def test_keyboard_opens_it_after_a_tap(page: Page, link: Locator) -> None:
    link.evaluate(TOUCHES)
    link.tap()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    opened(page)
    assert page.evaluate("window.seen") > 0
