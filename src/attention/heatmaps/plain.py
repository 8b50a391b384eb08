"""Maps as text: a table of numbers for each, as wide as its tokens need."""

from typing import TYPE_CHECKING

from attention.heatmaps.labels import cut, label, width

if TYPE_CHECKING:
    from attention.heatmaps.maps import Heatmap

HIDDEN = "×"
LABEL_MAX = 12

# Of more tokens only the first and last are shown, as PyTorch does it.
T_SHOWN = 16
EDGE = 6


def write_text(maps: "Heatmap") -> str:
    """Write each map as a table, under its title if it has one."""
    tables: list[str] = []
    for n in range(len(maps.weights)):
        title = [maps.titles[n]] if maps.titles else []
        tables.append("\n".join(title + write_table(maps, n)))
    return "\n\n".join(tables)


def write_table(maps: "Heatmap", n: int) -> list[str]:
    """Write the lines of one map's table."""
    shown = places(len(maps.tokens))
    names = [name_of(maps, i) for i in shown]
    rows = [["", *names]]
    for name, i in zip(names, shown, strict=True):
        rows.append([name, *(cell(maps, n, i, j) for j in shown)])
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [" ".join(map(pad, row, widths)).rstrip() for row in rows]


def places(T: int) -> list[int | None]:
    """Give the tokens to show, with None where some are left out."""
    if T <= T_SHOWN:
        return list(range(T))
    return [*range(EDGE), None, *range(T - EDGE, T)]


def name_of(maps: "Heatmap", i: int | None) -> str:
    """Write one token's label, or that some are left out."""
    return "…" if i is None else cut(label(maps.tokens[i]).text, LABEL_MAX)


def cell(maps: "Heatmap", n: int, i: int | None, j: int | None) -> str:
    """Write one number, or the sign that stands in its place."""
    if i is None or j is None:
        return "…"
    return HIDDEN if maps.is_hidden(i, j) else f"{maps.weights[n][i][j]:.2f}"


def pad(text: str, wide: int) -> str:
    """Fill a text up from the left."""
    return " " * (wide - width(text)) + text
