"""The head browser in a real browser, by mouse, by keyboard and without scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

PATH = "/chapters/trained/"
SCRIPT = re.compile(r'<script type="application/json">(.*?)</script>', re.S)
START = '<div class="attention-heads" '


@pytest.fixture(params=[360, 1280], ids=lambda width: f"{width} px")
def page(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": request.param, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def heads(page: Page, address: str) -> Locator:
    page.goto(address + PATH)
    return page.locator("#fig-browser .heads")


def head(heads: Locator, index: int) -> Locator:
    return heads.locator(".heads-grid button").nth(index)


def token(heads: Locator, position: int) -> Locator:
    return heads.locator(".heads-words button").nth(position)


def checked(heads: Locator, group: str) -> list[bool]:
    """Which of a group are chosen."""
    buttons = heads.locator(f"{group} > button").all()
    return [button.get_attribute("aria-checked") == "true" for button in buttons]


def said(heads: Locator) -> str:
    return heads.locator(".heads-said").inner_text()


def test_controls_take_the_place_of_the_tables(heads: Locator, page: Page) -> None:
    expect(heads.locator(".heads-name")).to_have_text("Layer 1, head 0")
    assert page.locator("#fig-browser table").count() == 0
    assert heads.locator(".heads-grid button").count() == 4
    assert heads.locator(".heads-words button").count() == 16


def test_mouse_chooses_head_and_token(heads: Locator) -> None:
    head(heads, 1).click()
    expect(heads.locator(".heads-name")).to_have_text("Layer 0, head 1")
    token(heads, 5).hover()
    expect(heads.locator(".heads-said")).to_contain_text("“the”, at position 5, looks at: “by” (4)")
    assert float(token(heads, 4).locator("small").inner_text()) > 0.9
    assert token(heads, 6).locator("small").inner_text() == ""


def test_arrow_keys_move_between_heads_and_between_tokens(heads: Locator, page: Page) -> None:
    head(heads, 2).focus()
    page.keyboard.press("ArrowUp")
    expect(heads.locator(".heads-name")).to_have_text("Layer 0, head 0")
    page.keyboard.press("ArrowRight")
    expect(heads.locator(".heads-name")).to_have_text("Layer 0, head 1")
    page.keyboard.press("ArrowDown")
    expect(heads.locator(".heads-name")).to_have_text("Layer 1, head 1")
    page.keyboard.press("Tab")
    expect(token(heads, 15)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    assert said(heads).startswith("“small”, at position 14")
    page.keyboard.press("Home")
    assert said(heads) == "“my”, at position 0, looks at: “my” (0) 1.00."


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [
        (3, "ArrowRight", 0),
        (0, "ArrowLeft", 3),
        (3, "ArrowDown", 1),
        (0, "ArrowUp", 2),
        (1, "Home", 0),
        (1, "End", 3),
    ],
)
def test_keys_go_on_at_the_other_end_of_the_heads(
    heads: Locator, page: Page, start: int, key: str, end: int
) -> None:
    head(heads, start).focus()
    page.keyboard.press(key)
    expect(head(heads, end)).to_be_focused()
    assert checked(heads, ".heads-grid") == [k == end for k in range(4)]


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [
        (15, "ArrowRight", 0),
        (0, "ArrowLeft", 15),
        (15, "ArrowDown", 0),
        (0, "ArrowUp", 15),
        (3, "ArrowDown", 4),
        (3, "ArrowUp", 2),
        (3, "End", 15),
    ],
)
def test_keys_go_on_at_the_other_end_of_the_tokens(
    heads: Locator, page: Page, start: int, key: str, end: int
) -> None:
    token(heads, start).focus()
    page.keyboard.press(key)
    expect(token(heads, end)).to_be_focused()
    assert checked(heads, ".heads-words") == [k == end for k in range(16)]


@pytest.mark.parametrize("held", ["Control", "Alt", "Meta", "Shift"])
@pytest.mark.parametrize("key", ["ArrowRight", "ArrowDown", "Home", "End"])
def test_combinations_of_keys_are_left_to_the_browser(
    heads: Locator, page: Page, held: str, key: str
) -> None:
    head(heads, 2).focus()
    heads.evaluate(
        """element => element.addEventListener("keydown", (event) => {
          window.taken = event.defaultPrevented
          event.preventDefault()
        })"""
    )
    page.keyboard.press(f"{held}+{key}")
    assert page.evaluate("window.taken") is False
    expect(head(heads, 2)).to_be_focused()
    assert checked(heads, ".heads-grid") == [False, False, True, False]


@pytest.mark.parametrize("key", [" ", "Enter"])
def test_key_chooses_what_has_the_focus(heads: Locator, page: Page, key: str) -> None:
    head(heads, 0).evaluate("element => element.focus()")
    page.keyboard.press(key)
    assert checked(heads, ".heads-grid") == [True, False, False, False]


def test_groups_have_names_and_their_members_are_radios(page: Page, heads: Locator) -> None:
    for name, count in (("head", 4), ("token that looks", 16)):
        group = heads.get_by_role("radiogroup", name=name, exact=True)
        expect(group.get_by_role("radio")).to_have_count(count)
        expect(group.get_by_role("radio", checked=True)).to_have_count(1)


def test_one_of_the_heads_and_one_of_the_tokens_is_a_stop_of_the_tab_key(heads: Locator) -> None:
    for group in (".heads-grid", ".heads-words"):
        assert heads.locator(f'{group} > [tabindex="0"]').count() == 1
        assert heads.locator(f'{group} > [aria-checked="true"]').count() == 1


def test_first_token_can_be_left_out(heads: Locator) -> None:
    token(heads, 0).click()
    heads.locator("label").click()
    assert said(heads) == "“my”, at position 0, looks at: nothing else."
    token(heads, 1).click()
    assert "(0)" not in said(heads)
    # The colours span what is left: the largest of the others has the full one.
    weights = [
        float(button.evaluate("button => button.style.getPropertyValue('--w')"))
        for button in heads.locator(".heads-words button").all()
    ]
    assert weights[0] == 0
    assert max(weights) == 1


def test_page_does_not_become_wider(heads: Locator, page: Page) -> None:
    expect(heads).to_be_visible()
    wide, width = page.evaluate(
        "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide == width


def test_tables_stand_there_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + PATH)
    captions = page.locator("#fig-browser caption").all_inner_texts()
    assert captions == [f"layer {layer}, head {head}" for layer in (0, 1) for head in (0, 1)]
    context.close()


# Maps that are fetched, as those of GPT-2 are -----------------------------------------------------


def serve(page: Page, address: str, answer: dict[str, object] | None) -> None:
    """Have the page name a file for its maps; the file is the answer, or is not there."""

    def without_maps(route: Route) -> None:
        html = route.fetch().text()
        html = SCRIPT.sub("", html, count=1)
        route.fulfill(
            body=html.replace(START, f'{START}data-source="maps.json" ', 1),
            content_type="text/html",
        )

    def maps(route: Route) -> None:
        route.fulfill(json=answer) if answer else route.fulfill(status=404)

    page.route(address + PATH, without_maps)
    page.route(f"{address}{PATH}maps.json", maps)
    page.goto(address + PATH)
    page.locator("#fig-browser").scroll_into_view_if_needed()


def test_maps_are_fetched_when_the_reader_comes_near(page: Page, address: str) -> None:
    rows = [[1000], [250, 750]]
    maps = [[rows] * 12] * 12
    serve(page, address, {"scale": 1000, "tokens": ["The", " <b>"], "maps": maps})
    heads = page.locator("#fig-browser .heads")
    expect(heads.locator(".heads-grid button")).to_have_count(144)
    expect(heads.locator(".heads-said")).to_have_text(
        "“<b>”, at position 1, looks at: “<b>” (1) 0.75, “The” (0) 0.25."
    )


def test_maps_that_are_not_there_leave_the_tables_and_say_so(page: Page, address: str) -> None:
    serve(page, address, None)
    expect(page.locator("#fig-browser [role=alert]")).to_contain_text("could not be loaded")
    assert page.locator("#fig-browser table").count() == 4


def test_data_in_the_page_are_the_numbers_of_the_tables(address: str, browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address + PATH)
    found = SCRIPT.search(page.content())
    assert found
    data = json.loads(found[1])
    cells = page.locator("#fig-browser table").nth(2).locator("tbody tr").nth(8).locator("td")
    shown = [float(text) for text in cells.all_inner_texts()[:9]]
    assert shown == pytest.approx([w / data["scale"] for w in data["maps"][1][0][8]], abs=0.0051)
    context.close()
