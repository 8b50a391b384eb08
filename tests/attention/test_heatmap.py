"""Tests of heatmap: what it takes, refuses, and shows."""

import dataclasses
import gzip
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from attention import CausalSelfAttention, Heatmap, causal_mask, heatmap
from attention.heatmaps import ramp
from attention.heatmaps.labels import cut, label, width

ROOT = Path(__file__).parents[2]
STYLES = (ROOT / "docs/stylesheets/attention-map.css").read_text("utf-8")
THREE = ["Alice", "likes", "tea"]
ODD = ["a b", " x ", '"q"', "<b>", "&amp;", "🐈", "猫", "שלום", "\n", "", "x" * 90, "x", "x"]


def weights(*shape: int) -> Tensor:
    """Random weights of a causal layer, ``(..., T, T)``."""
    T = shape[-1]
    return torch.randn(*shape, T).masked_fill(causal_mask(T), -torch.inf).softmax(-1)


def words_of(T: int) -> list[str]:
    """As many tokens as asked for."""
    return [f" w{i}" for i in range(T)]


# Reading HTML ----------------------------------------------------------------

VOID = {"input"}


class Page(HTMLParser):
    """Reads HTML into a flat list of elements, and insists that all are closed."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.found: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.inside: list[int] = []
        self.unread = 0
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs)
        self.found.append((tag, dict(attrs), []))
        if tag not in VOID:
            self.open.append(tag)
            self.inside.append(len(self.found) - 1)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.inside.pop()

    def handle_data(self, data: str) -> None:
        hidden = any(self.found[i][1].get("aria-hidden") for i in self.inside)
        for i in self.inside:
            if not hidden:
                self.found[i][2].append(data)

    def texts(self, tag: str, **wanted: str) -> list[str]:
        """What a screen reader reads of each element of one sort."""
        return ["".join(text) for _, text in self.elements(tag, **wanted)]

    def elements(
        self, tag: str, **wanted: str
    ) -> Iterator[tuple[dict[str, str | None], list[str]]]:
        """The elements of one sort, with attributes and texts."""
        for name, attrs, text in self.found:
            if name == tag and all(attrs.get(k) == v for k, v in wanted.items()):
                yield attrs, text


def page(maps: Heatmap) -> Page:
    """The page that a map shows itself as."""
    return Page(maps._repr_html_())


def cells(maps: Heatmap) -> list[str]:
    """The texts of all cells, the empty corners left out."""
    return [text for text in page(maps).texts("td") if text]


# What it takes ---------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_every_float_type_is_taken(dtype: torch.dtype) -> None:
    maps = heatmap(torch.tensor([[1.0, 0.0], [0.25, 0.75]], dtype=dtype), ["a", "b"])
    assert maps.weights == (((1.0, 0.0), (0.25, 0.75)),)


@pytest.mark.parametrize(
    "given",
    [
        [[1, 0], [0.25, 0.75]],
        ((1.0, 0.0), (0.25, 0.75)),
        np.array([[1.0, 0.0], [0.25, 0.75]]),
        np.array([[0.25, 0.75], [1.0, 0.0]], dtype=">f4")[::-1],
        [np.array([1.0, 0.0]), torch.tensor([0.25, 0.75])],
        torch.tensor([[1.0, 0.0], [0.25, 0.75]], requires_grad=True),
        torch.tensor([[1.0, 0.25], [0.0, 0.75]]).T,
    ],
)
def test_lists_arrays_and_tensors_give_the_same_map(given: object) -> None:
    want = heatmap(torch.tensor([[1.0, 0.0], [0.25, 0.75]]), ["a", "b"])
    assert heatmap(given, ["a", "b"]) == want  # type: ignore[arg-type]


def test_weights_of_a_layer_are_taken_with_its_mask_and_gradients() -> None:
    layer = CausalSelfAttention(8, n_heads=2, context_length=5)
    _, found = layer(torch.randn(1, 5, 8), return_weights=True)
    maps = heatmap(found[0], words_of(5), mask=layer.mask)
    assert maps.titles == ("Map 1", "Map 2")
    assert np.allclose(maps.weights, found[0].detach())


def test_list_of_tensors_makes_several_maps() -> None:
    two = weights(2, 3)
    assert heatmap([two[0], two[1]], THREE) == heatmap(two, THREE)


@pytest.mark.parametrize("T", [1, 2, 12, 13, 64])
def test_any_number_of_tokens_from_1_to_64_shows_in_every_form(T: int) -> None:
    maps = heatmap(weights(T), words_of(T))
    assert len(cells(maps)) == T * T
    assert repr(maps)


def test_rounding_above_1_is_taken_for_1() -> None:
    assert heatmap([[1 + 2e-7]], ["a"]).weights == (((1.0,),),)
    coarse = torch.tensor([[1.0078125]], dtype=torch.bfloat16)
    assert heatmap(coarse, ["a"]).weights == heatmap([coarse], ["a"]).weights == (((1.0,),),)


def test_minus_zero_loses_its_sign() -> None:
    assert cells(heatmap([[-0.0]], ["a"])) == ["0.00"]


def test_map_is_frozen_and_apart_from_what_it_was_made_of() -> None:
    given, tokens = weights(3), list(THREE)
    maps = heatmap(given, tokens)
    before = hash(maps)
    given.zero_()
    tokens[0] = "Bob"
    assert hash(maps) == before
    assert maps.tokens[0] == "Alice"
    with pytest.raises(dataclasses.FrozenInstanceError):
        maps.caption = "other"  # type: ignore[misc]


# What it refuses -------------------------------------------------------------

EYE = [[1.0, 0.0], [0.0, 1.0]]
ENDLESS: list[object] = [1.0]
ENDLESS.append(ENDLESS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "weights of shape (0,) hold nothing; give at least one token"),
        (torch.zeros(0, 0), "weights of shape (0,) hold nothing"),
        (torch.zeros(0, 3, 3), "weights of shape (0,) hold nothing"),
        ([[]], "weights of shape (1, 0) hold nothing"),
        (0.5, "weights of shape () are not (T, T) or (N, T, T)"),
        ([0.5, 0.5], "weights of shape (2,) are not (T, T) or (N, T, T)"),
        (torch.ones(1, 2, 3, 3), "shape (1, 2, 3, 3) are not (T, T) or (N, T, T); take one text"),
        (torch.ones(2, 3), "weights of shape (2, 3) have 2 rows and 3 columns"),
        (torch.ones(4, 3, 2), "weights of shape (4, 3, 2) have 3 rows and 2 columns"),
        (torch.ones(65, 65), "weights of shape (65, 65) are for 65 tokens, more than 64"),
        ([[1.0, 0.0], [1.0]], "weights[1] has shape (1,), but weights[0] has (2,)"),
        ([[1.0, [0.0]], [1.0, 0.0]], "weights[0][1] has shape (1,), but weights[0][0] has ()"),
        ([[1.0, 0.0], [-0.25, 1.0]], "weights[1, 0] is -0.25, below 0"),
        ([[[1.0, 0.0], [-1e-9, 1.0]]], "weights[0, 1, 0] is -1e-09, below 0"),
        ([[1.0, 1.001], [0.0, 1.0]], "weights[0, 1] is 1.001, above 1; give weights, not scores"),
        ([[1.0, 0.0], [0.0, float("nan")]], "weights[1, 1] is nan; give finite weights"),
        (torch.full((2, 2), torch.inf), "weights[0, 0] is inf; give finite weights"),
        ([[1.0, 0.0], [0.0, -np.inf]], "weights[1, 1] is -inf; give finite weights"),
        (ENDLESS, "is a list in more than 8 others; give (N, T, T) at most"),
        ([[1.0, "0"], [0.0, 1.0]], "weights[0, 1] is '0', of type str; give real numbers"),
        ([[1.0, None], [0.0, 1.0]], "weights[0, 1] is None, of type NoneType"),
        (None, "weights of shape () are not (T, T) or (N, T, T), but None, of type NoneType; give"),
        ("ab", "but 'ab', of type str; give a tensor, an array or nested lists"),
        (torch.tensor(1.0), "weights of shape () are not (T, T) or (N, T, T), but tensor(1.)"),
        ({"a": 1}, "but {'a': 1}, of type dict; give"),
        (torch.Tensor, "of type _TensorMeta; give"),
        (torch.eye(2).to_sparse(), "weights, of type Tensor torch.sparse_coo cpu, cannot be read"),
        (torch.eye(2).to("meta"), "weights, of type Tensor torch.strided meta, cannot be read"),
        ([torch.eye(2)[0], torch.eye(2)[1].to("meta")], "weights[1], of type Tensor torch.strided"),
        (torch.eye(2, dtype=torch.complex64), "weights[0, 0] is (1+0j), of type complex"),
        (causal_mask(2), "weights[0, 0] is False, of type bool; give real numbers"),
    ],
)
def test_weights_that_make_no_map_are_refused(given: object, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        heatmap(given, ["a", "b"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": ["a"]}, "1 tokens for 2 × 2 weights; give one token for each row"),
        ({"tokens": ["a", "b", "c"]}, "3 tokens for 2 × 2 weights"),
        ({"tokens": "ab"}, "tokens='ab' is one string; give a list of strings"),
        ({"tokens": [0, 1]}, "tokens[0] is 0, of type int; give strings"),
        ({"titles": ["a", "b"]}, "2 titles for 1 maps; give one for each map"),
        ({"titles": []}, "0 titles for 1 maps"),
        ({"titles": "head"}, "titles='head' is one string"),
        ({"titles": [3]}, "titles[0] is 3, of type int"),
        ({"tokens": None}, "tokens is None, of type NoneType; give a list of strings"),
        ({"tokens": 2}, "tokens is 2, of type int; give a list of strings"),
        ({"tokens": np.array("a")}, "tokens is array('a', dtype='<U1'), of type ndarray; give"),
        ({"tokens": {"a", "b"}}, "tokens, of type set, has no order; give a list of strings"),
        ({"tokens": ["a", None]}, "tokens[1] is None, of type NoneType; give strings"),
        ({"tokens": ["a", range(10**6)]}, "tokens[1] is range(0, 1000000), of type range"),
        ({"tokens": ["a", "b" * 9999, ["c" * 9999]]}, "..."),
        ({"titles": 3}, "titles is 3, of type int; give a list of strings"),
        ({"mask": "ab"}, "mask of shape () is not (T, T), but 'ab', of type str; give a tensor"),
        ({"mask": torch.tensor(True)}, "mask of shape () is not (T, T), but tensor(True), of type"),
        ({"mask": causal_mask(2).to_sparse()}, "mask, of type Tensor torch.sparse_coo cpu, cannot"),
        ({"mask": causal_mask(2).to("meta")}, "mask, of type Tensor torch.strided meta, cannot"),
        ({"caption": 0}, "caption=0 is no string, but of type int; give words"),
        ({"caption": torch.ones(2)}, "caption=tensor([1., 1.]) is no string"),
        ({"mask": causal_mask(3)}, "mask of shape (3, 3) for 2 tokens; mask[:2, :2] fits"),
        ({"mask": causal_mask(1)}, "mask of shape (1, 1) for 2 tokens; make it (2, 2)"),
        ({"mask": [[True], [False, True]]}, "mask[1] has shape (2,), but mask[0] has (1,)"),
        ({"mask": causal_mask(2).int()}, "mask[0, 0] is 0, of type torch.int32; give a boolean"),
        ({"mask": [[False, 1.0], [False, False]]}, "mask[0, 1] is 1.0, of type float"),
        ({"rows": 3}, "rows=3 is no string, but of type int; give words"),
        ({"values": None}, "values=None is no string"),
    ],
)
def test_other_arguments_that_do_not_fit_are_refused(
    arguments: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        heatmap(EYE, **{"tokens": ["a", "b"], **arguments})  # type: ignore[arg-type]


# The table -------------------------------------------------------------------


def test_every_cell_has_its_number_or_says_that_it_is_hidden() -> None:
    maps = heatmap([[1.0, 0.0], [0.2549, 0.7451]], ["a", "b"], mask=causal_mask(2))
    assert cells(maps) == ["1.00", "hidden", "0.25", "0.75"]


@pytest.mark.parametrize("T", [3, 16])
def test_hidden_cells_differ_from_zero_cells(T: int) -> None:
    zeros = torch.zeros(T, T)
    html = heatmap(zeros, words_of(T), mask=causal_mask(T))._repr_html_()
    assert html.count('<td class="masked">hidden</td>') == T * (T - 1) // 2
    assert html.count('<td style="--w:0">0.00</td>') == T * (T + 1) // 2
    assert "Hatched cells are hidden." in html


def test_mask_that_hides_nothing_is_not_spoken_of() -> None:
    maps = heatmap(EYE, ["a", "b"], mask=torch.zeros(2, 2, dtype=torch.bool))
    assert "Hatched" not in maps._repr_html_()


def test_rows_and_columns_have_their_tokens_as_headers() -> None:
    read = page(heatmap(weights(3), THREE))
    assert read.texts("th", scope="col") == read.texts("th", scope="row") == THREE


def test_caption_says_what_rows_columns_and_values_are() -> None:
    [said] = page(heatmap(weights(3), THREE)).texts("p")
    assert said.startswith("Rows are the tokens that look, columns the tokens looked at. ")
    assert re.sub(" +", " ", said).endswith("Values are attention weights, from 0 to 1.")


def test_own_caption_comes_first_and_replaces_nothing() -> None:
    maps = heatmap(weights(3), THREE, caption="A fresh <layer>")
    [said] = page(maps).texts("p")
    assert said.startswith("A fresh <layer>. Rows are the tokens that look, columns")


def test_numbers_that_are_no_weights_can_say_so_everywhere() -> None:
    maps = heatmap(
        weights(3),
        THREE,
        rows="the outputs",
        columns="the tokens changed",
        values="how far each output moved",
    )
    [said] = page(maps).texts("p")
    assert said.startswith("Rows are the outputs, columns the tokens changed. Values are how far")
    assert page(maps).texts("caption") == ["How far each output moved"]
    assert "tokens that look" not in maps._repr_html_()
    seen = {text.get_text() for text in texts_of(maps)}
    assert {"rows: the outputs", "columns: the tokens changed"} <= seen
    assert "how far each output moved" in seen


def test_several_maps_stand_in_one_block_with_a_title_each() -> None:
    read = page(heatmap(weights(2, 3), THREE, titles=["head 0", 'a "b" <c>']))
    assert read.texts("caption") == ["head 0", 'a "b" <c>']
    assert len(read.texts("p")) == 1
    assert read.found[0][:2] == (
        "div",
        {"class": "attention-maps", "style": "--m:2;--n:3;--l:5", "data-search-exclude": None},
    )


def test_wide_maps_scroll_in_boxes_that_the_keyboard_reaches() -> None:
    title = 'head "0"'
    wide = page(heatmap(weights(1, 16), words_of(16), titles=[title]))
    [(box, _)] = wide.elements("div", tabindex="0")
    assert box["role"] == "group"
    assert box["aria-label"] == f"{title}, scrolls"
    assert not list(page(heatmap(weights(3), THREE)).elements("div", tabindex="0"))


def test_numbers_too_many_for_their_cells_can_be_asked_for() -> None:
    asked = "Show the numbers"
    assert [t.strip() for t in page(heatmap(weights(2, 13), words_of(13))).texts("label")] == [
        asked
    ]
    assert asked not in heatmap(weights(12), words_of(12))._repr_html_()


@pytest.mark.parametrize("T", [13, 64])
def test_same_map_twice_on_a_page_needs_no_ids_and_no_scripts(T: int) -> None:
    html = heatmap(weights(2, T), ["x"] * T)._repr_html_()
    assert not re.search(r'\s(id|headers|for|on\w+)="|<script|<style', html)


def test_table_holds_no_blank_line_which_would_end_it_in_markdown() -> None:
    html = heatmap(weights(13), ODD, caption="a\n\nb", mask=causal_mask(13))._repr_html_()
    assert all(line.strip() for line in html.splitlines())


def test_maps_come_out_the_same_every_time() -> None:
    first, second = (heatmap(EYE, ["a", "b"], mask=causal_mask(2)) for _ in range(2))
    assert first._repr_html_() == second._repr_html_()
    assert first._repr_png_() == second._repr_png_()


def test_three_maps_of_16_tokens_stay_small() -> None:
    maps = heatmap(weights(3, 16), words_of(16), mask=causal_mask(16))
    html = maps._repr_html_().encode()
    assert len(html) < 36_000
    assert len(gzip.compress(html, mtime=0)) < 2_000


# Labels ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("token", "seen", "heard"),
    [
        ("cat", "cat", "cat"),
        (" cat", "␣cat", "cat"),
        ("  a b ", "␣␣a b␣", "a b"),
        ("\u00a0x", "␣x", "x"),
        (" ", "␣", "space"),
        ("\n", "↵", "newline"),
        ("\n\n", "↵↵", "newline, newline"),
        (" \t", "␣⇥", "space, tab"),
        ("a\r\n", "a␍↵", "a"),
        ("\x00", "␀", "U+0000"),
        ("", "∅", "empty"),
        ("\u200b", "∅", "U+200B"),
        ("\u202e", "∅", "U+202E"),
        ("a\u202eb", "ab", "ab"),
        ("\ud83d", "\ufffd", "\ufffd"),
        ("<\"&'>", "<\"&'>", "<\"&'>"),
        ("␣", "␣", "␣"),
        ("👩‍🔬猫שלום", "👩‍🔬猫שלום", "👩‍🔬猫שלום"),
    ],
)
def test_tokens_are_seen_with_marks_and_heard_without(token: str, seen: str, heard: str) -> None:
    maps = heatmap([[1.0]], [token])
    assert label(token).text == seen
    assert page(maps).texts("th") == [heard, heard]
    assert seen in repr(maps)


@given(token=st.text())
def test_any_token_is_escaped_seen_and_heard(token: str) -> None:
    html = heatmap([[1.0]], [token])._repr_html_()
    html.encode()  # half a surrogate pair would raise
    for heard in Page(html).texts("th"):
        assert heard.strip()
    assert label(token).text.isprintable() or width(label(token).text)


def test_tokens_keep_their_own_direction() -> None:
    assert len(list(page(heatmap(EYE, ["שלום", "x"])).elements("bdi"))) == 4


def test_tokens_may_be_the_same() -> None:
    assert page(heatmap(EYE, ["x", "x"])).texts("th", scope="row") == ["x", "x"]


def test_long_token_is_cut_by_the_style_sheet_alone() -> None:
    long = "a token that goes on and on"
    read = page(heatmap(EYE, [long, "b"]))
    assert read.texts("th") == [long, "b"] * 2
    assert [attrs.get("class") for attrs, _ in read.elements("th")] == ["long", None] * 2


@given(text=st.text(st.characters(categories=["L", "Mn", "So"])), widest=st.integers(1, 9))
def test_cut_text_is_never_wider_than_asked(text: str, widest: int) -> None:
    assert width(cut(text, widest)) <= widest
    assert cut(text, widest) == text or width(text) > widest


# Colours ---------------------------------------------------------------------

Colour = tuple[float, ...]


def parse(code: str) -> Colour:
    """Parts of 1 of a colour like #fff or #23262f; a fourth part is opacity."""
    digits = code.removeprefix("#")
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    return tuple(int(digits[i : i + 2], 16) / 255 for i in range(0, len(digits), 2))


def mix(high: Colour, share: float, low: Colour) -> Colour:
    """What color-mix in srgb gives, and what a translucent colour gives."""
    return tuple(h * share + b * (1 - share) for h, b in zip(high[:3], low[:3], strict=True))


def luminance(colour: Colour) -> float:
    """Relative luminance as WCAG 2 defines it."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """Contrast as WCAG 2 defines it, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def schemes() -> list[dict[str, str]]:
    """The variables of every block of the style sheet that sets a ramp."""
    found: list[dict[str, str]] = []
    for block in re.findall(r"\{([^{}]*--attention-low:[^{}]*)\}", STYLES):
        found.append(dict(re.findall(r"--attention-([\w-]+): ([^;]+);", block)))
    return found


def test_style_sheet_has_a_light_ramp_and_the_same_dark_one_twice() -> None:
    light, *dark = schemes()
    assert [dark[0]] * 2 == dark
    assert luminance(parse(light["low"])) > luminance(parse(light["high"]))
    assert luminance(parse(dark[0]["low"])) < luminance(parse(dark[0]["high"]))


def test_picture_and_light_pages_have_the_same_ramp() -> None:
    light = schemes()[0]
    assert parse(light["low"]) == ramp.colour(0)
    assert parse(light["high"]) == ramp.colour(1)
    assert float(light["turn"]) == ramp.TURN


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "system dark", "slate"])
def test_numbers_contrast_with_their_cells_at_every_weight(scheme: dict[str, str]) -> None:
    low, high, figure, turned = (
        parse(scheme[name]) for name in ("low", "high", "figure", "turned")
    )
    for step in range(10_001):
        weight = step / 10_000
        # As the style sheet has it: clamp(0, (w - turn) * 10000, 1).
        share = min(max(0.0, (weight - float(scheme["turn"])) * 10_000), 1.0)
        text = mix(turned, share, figure)
        assert contrast(text, mix(high, weight, low)) >= 4.5, weight


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "system dark", "slate"])
def test_lightness_alone_tells_the_weights_apart(scheme: dict[str, str]) -> None:
    low, high = parse(scheme["low"]), parse(scheme["high"])
    steps = [luminance(mix(high, step / 100, low)) for step in range(101)]
    if steps[0] > steps[-1]:
        steps.reverse()
    assert all(one < other for one, other in pairwise(steps))
    assert contrast(low, high) > 7


@pytest.mark.parametrize("scheme", schemes(), ids=["light", "system dark", "slate"])
def test_hatching_stands_out_from_the_page(scheme: dict[str, str]) -> None:
    light = luminance(parse(scheme["low"])) > 0.5
    paper = parse("#ffffff" if light else "#1e2129")  # of Material's schemes
    assert contrast(parse(scheme["hatch"]), paper) >= 3


@pytest.mark.parametrize(
    ("paper", "ink"),
    [
        ("#ffffff", "#3b3b3b"),  # VS Code and JupyterLab, light
        ("#ffffff", "#212121"),
        ("#1f1f1f", "#cccccc"),  # the same, dark
        ("#111111", "#e0e0e0"),
    ],
)
def test_notebooks_own_text_contrasts_with_cells_at_every_weight(paper: str, ink: str) -> None:
    for step in range(1001):
        tint = parse(ramp.tint(step / 1000) or "#0000")
        cell = mix(tint, tint[3], parse(paper))
        assert contrast(parse(ink), cell) >= 4.5


def test_cells_give_the_style_sheet_the_number_that_they_show() -> None:
    html = heatmap([[k / 10 for k in range(i, i + 4)] for i in range(4)], words_of(4))._repr_html_()
    pairs = re.findall(r'<td style="--w:([\d.]+)[^"]*">([\d.]+)</td>', html)
    assert len(pairs) == 16
    assert all(float(short) == float(text) for short, text in pairs)
    assert ("1", "1.00") not in pairs
    assert '<td style="--w:1;background:#27e9">1.00</td>' in heatmap([[1.0]], ["a"])._repr_html_()


def test_site_lists_the_style_sheet() -> None:
    assert "  - stylesheets/attention-map.css\n" in (ROOT / "mkdocs.yml").read_text("utf-8")


# Text ------------------------------------------------------------------------


def test_text_form_is_a_table_of_numbers() -> None:
    two = torch.tensor([[[1.0, 0.0], [0.25, 0.75]], [[1.0, 0.0], [0.5, 0.5]]])
    maps = heatmap(two, ["The", " cat"], titles=["head 0", "head 1"], mask=causal_mask(2))
    assert repr(maps) == (
        "head 0\n"
        "      The ␣cat\n"
        " The 1.00    ×\n"
        "␣cat 0.25 0.75\n"
        "\n"
        "head 1\n"
        "      The ␣cat\n"
        " The 1.00    ×\n"
        "␣cat 0.50 0.50"
    )


def test_text_form_shows_the_first_and_last_of_many_tokens() -> None:
    lines = repr(heatmap(torch.eye(64), words_of(64))).splitlines()
    assert len(lines) == 14
    assert lines[0].split()[5:8] == ["␣w5", "…", "␣w58"]
    assert max(map(len, lines)) < 80


def test_text_form_lines_up_wide_signs() -> None:
    lines = repr(heatmap(EYE, ["猫", "abc"])).splitlines()
    assert len({width(line) for line in lines}) == 1


# Picture ---------------------------------------------------------------------


def texts_of(maps: Heatmap) -> list[object]:
    """All pieces of text in the figure of a map."""
    from matplotlib.text import Text

    figure = maps.figure()
    return figure.findobj(lambda artist: isinstance(artist, Text) and bool(artist.get_text()))


def test_figure_has_axes_for_every_map_and_the_scale() -> None:
    maps = heatmap(weights(5, 3), THREE, titles=list("abcde"))
    *axes, scale = maps.figure().axes
    assert [each.get_title() for each in axes] == list("abcde")
    assert all(each.collections[0].get_clim() == (0, 1) for each in axes)
    assert scale.get_ylabel() == "attention weights"


def test_figure_shows_tokens_as_they_are_even_with_dollars() -> None:
    axes = heatmap(EYE, ["$x$", " b_"]).figure().axes[0]
    ticks = [*axes.get_xticklabels(), *axes.get_yticklabels()]
    assert [tick.get_text() for tick in ticks] == ["$x$", "␣b_"] * 2
    assert not any(tick.get_parse_math() for tick in ticks)


def test_figure_numbers_the_cells_that_are_not_hidden() -> None:
    maps = heatmap([[1.0, 0.0], [0.25, 0.75]], ["a", "b"], mask=causal_mask(2))
    axes = maps.figure().axes[0]
    assert [text.get_text() for text in axes.texts] == ["1.00", "0.25", "0.75"]
    assert [patch.get_hatch() for patch in axes.patches] == ["/////"]


def test_figure_is_unknown_to_pyplot() -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    before = plt.get_fignums()
    heatmap(EYE, ["a", "b"]).figure()
    assert plt.get_fignums() == before


@pytest.mark.parametrize("N", [1, 7])
def test_picture_is_a_png_without_warnings_for_any_token(N: int) -> None:
    data = heatmap(weights(N, 13), ODD, mask=causal_mask(13))._repr_png_()
    assert data is not None
    assert data.startswith(b"\x89PNG")


def test_without_matplotlib_there_is_no_picture_but_all_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "attention.heatmaps.picture", None)
    maps = heatmap(EYE, ["a", "b"])
    assert maps._repr_png_() is None
    assert maps._repr_html_()
    with pytest.raises(ImportError):
        maps.figure()


def test_importing_the_package_loads_no_matplotlib() -> None:
    code = (
        "import sys; from attention import heatmap; heatmap([[1.0]], ['a'])._repr_html_();"
        "sys.exit('matplotlib' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT / "src")
