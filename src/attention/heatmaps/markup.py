"""Maps as HTML tables.

A cell's number is always there as text. Where a cell is hidden or too small
for it, a style sheet puts the text out of sight, for screen readers only. A
cell carries its weight twice: as ``--w`` for the style sheet, and as a
translucent colour for where there is none. No element has an id, since a
page may show the same map twice.
"""

from html import escape
from typing import TYPE_CHECKING

from attention.heatmaps import ramp
from attention.heatmaps.checks import T_NUMBERS
from attention.heatmaps.labels import Label, label, width

if TYPE_CHECKING:
    from attention.heatmaps.maps import Heatmap

LABEL_MAX = 12
"""Labels that are wider, in characters, are cut by the style sheet."""

# Column labels stand upright while all of them together are at most so many
# characters wide: as much as fits beside the row labels on a phone.
UPRIGHT = 28

# How many pixels things take, about, and how many a phone has for a map.
CHARACTER, CELL, ROOM = 7, 31, 300


def write_html(maps: "Heatmap") -> str:
    """Write all maps, and the words that say how to read them."""
    labels = [label(token) for token in maps.tokens]
    T = len(labels)
    widest = min(LABEL_MAX, max(width(each.text) for each in labels))
    N = len(maps.weights)
    boxes = "".join(write_box(maps, n, labels, widest) for n in range(N))
    toggle = '<label hidden><input type="checkbox"> Show the numbers</label>\n'
    # Hundreds of numbers would drown the page's words in the site's search.
    return (
        f'<div class="attention-maps" style="--m:{N};--n:{T};--l:{widest}"'
        " data-search-exclude>\n"
        f"<p>{describe(maps)}</p>\n"
        f"{toggle if T > T_NUMBERS else ''}{boxes}</div>"
    )


def describe(maps: "Heatmap") -> str:
    """Say what rows, columns, values and hatching are."""
    scale = '<span>0 <span class="attention-scale"></span> to 1</span>'
    stop = "" if maps.caption[-1:] in ".!?:;…。！？" else "."
    sentences = [
        escape(maps.caption) + stop,
        f"Rows are {escape(maps.rows)}, columns {escape(maps.columns)}.",
        f"Values are {escape(maps.values)}, from {scale}.",
    ]
    if maps.mask and any(map(any, maps.mask)):
        sentences.append("Hatched cells are hidden.")
    return " ".join(filter(None, sentences))


def write_box(maps: "Heatmap", n: int, labels: list[Label], widest: int) -> str:
    """Write one map in its box, which scrolls where the map is too wide."""
    T = len(labels)
    turned = T > T_NUMBERS or widest * T > UPRIGHT
    column = CELL if turned else max(CELL, CHARACTER * widest)
    fits = T <= T_NUMBERS and CHARACTER * widest + column * T <= ROOM
    # Not a region: a page's list of landmarks is no place for every map.
    name = escape(name_of(maps, n))
    focus = f' role="group" aria-label="{name}, scrolls" tabindex="0"'
    return (
        f'<div class="attention-map-box" style="overflow-x:auto"'
        f"{'' if fits else focus}>\n"
        f'<table class="attention-map{" attention-map-turned" * turned}">\n'
        f"{write_caption(maps, n)}\n"
        f"<thead>\n<tr><td></td>{write_heads(labels)}</tr>\n</thead>\n"
        f"<tbody>\n{write_rows(maps, n, labels)}</tbody>\n"
        "</table>\n</div>\n"
    )


def name_of(maps: "Heatmap", n: int) -> str:
    """Name a map by its title, or else by its values."""
    if maps.titles:
        return maps.titles[n]
    return maps.values[:1].upper() + maps.values[1:]


def write_caption(maps: "Heatmap", n: int) -> str:
    """Write a map's name, unseen if the words above say it already."""
    unseen = "" if maps.titles else ' class="attention-words"'
    return f"<caption{unseen}>{escape(name_of(maps, n))}</caption>"


def write_heads(labels: list[Label]) -> str:
    """Write the labels of all columns."""
    return "".join(write_label(each, "col") for each in labels)


def write_rows(maps: "Heatmap", n: int, labels: list[Label]) -> str:
    """Write the rows of one map, each with its label."""
    return "".join(
        f"<tr>{write_label(each, 'row')}"
        + "".join(write_cell(maps, n, i, j) for j in range(len(labels)))
        + "</tr>\n"
        for i, each in enumerate(labels)
    )


def write_label(each: Label, scope: str) -> str:
    """Write a token in its own direction, its marks for the eye only."""
    parts = "".join(
        f'<span aria-hidden="true">{escape(text)}</span>' if mark else escape(text)
        for text, mark in each.parts
    )
    if each.words:
        parts += f'<span class="attention-words">{each.words}</span>'
    long = ' class="long"' if width(each.text) > LABEL_MAX else ""
    return f'<th scope="{scope}"{long}><bdi>{parts}</bdi></th>'


def write_cell(maps: "Heatmap", n: int, i: int, j: int) -> str:
    """Write one cell: its number, or that it is hidden."""
    if maps.is_hidden(i, j):
        return '<td class="masked">hidden</td>'
    weight = maps.weights[n][i][j]
    text = f"{weight:.2f}"
    # The style sheet gets the number that is shown, as .58, 1 or 0.
    short = text.rstrip("0").rstrip(".").lstrip("0") or "0"
    tint = ramp.tint(weight)
    colour = f";background:{tint}" if tint else ""
    return f'<td style="--w:{short}{colour}">{text}</td>'
