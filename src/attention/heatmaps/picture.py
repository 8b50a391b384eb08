"""Maps as matplotlib draws them, for where no table can be shown."""

import io
import math
import warnings
from typing import TYPE_CHECKING, Any

from matplotlib import font_manager, rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from attention.heatmaps import ramp
from attention.heatmaps.checks import T_NUMBERS
from attention.heatmaps.labels import cut, label, width

if TYPE_CHECKING:
    from attention.heatmaps.maps import Heatmap

# In inches: a cell that holds a number, one that does not, and the least
# and most that a map takes.
CELL, SMALL_CELL, LEAST, MOST = 0.5, 0.2, 1.4, 6.0
LABEL_MAX = 24
DPI = 110
PIXELS = 4e7  # of a whole PNG; very many maps get fewer for each

Style = dict[str, Any]  # settings that all texts share

# For what the usual font lacks, where they are installed.
OTHER_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Hiragino Sans",
    "PingFang SC",
    "Microsoft YaHei",
    "Yu Gothic",
    "Malgun Gothic",
    "Noto Sans Arabic",
    "Noto Sans Devanagari",
    "Noto Emoji",
    "Segoe UI Emoji",
    "Segoe UI Symbol",
    "Apple Symbols",
)


def draw(maps: "Heatmap") -> Figure:
    """Draw all maps in one figure, with one scale for all."""
    N = len(maps.weights)
    names = [cut(label(token).text, LABEL_MAX) for token in maps.tokens]
    said = [maps.rows, maps.columns, maps.values, *maps.titles, *names]
    # A token may hold a $, which begins no formula.
    style: Style = {
        "parse_math": False,
        "usetex": False,
        "fontfamily": families("".join(said)),
    }
    figure, grid = lay_out(N, len(names))
    for n, axes in enumerate(grid):
        draw_map(axes, maps, n, names, style)
    figure.supylabel(f"rows: {maps.rows}", fontsize=9, **style)
    figure.supxlabel(f"columns: {maps.columns}", fontsize=9, **style)
    first = grid[0].collections[0]
    scale = figure.colorbar(first, ax=grid, shrink=0.8)
    scale.set_label(maps.values, fontsize=9, **style)
    return figure


def lay_out(N: int, T: int) -> tuple[Figure, list[Axes]]:
    """Make a figure with room for N maps of T tokens."""
    columns = N if N <= 3 else math.ceil(math.sqrt(N))
    lines = math.ceil(N / columns)
    cell = CELL if T <= T_NUMBERS else SMALL_CELL
    side = min(max(T * cell, LEAST), MOST)
    size = (columns * (side + 0.6) + 1.0, lines * (side + 0.8) + 0.3)
    figure = Figure(figsize=size, layout="constrained")
    grid = list(figure.subplots(lines, columns, squeeze=False).flat)
    for spare in grid[N:]:
        spare.remove()
    return figure, grid[:N]


def draw_map(axes: Axes, maps: "Heatmap", n: int, names: list[str], style: Style) -> None:
    """Draw one map: row 0 on top, the tokens to the left and above."""
    T = len(names)
    ends = [ramp.colour(0), ramp.colour(1)]
    axes.pcolormesh(
        maps.weights[n],
        cmap=LinearSegmentedColormap.from_list("attention", ends),
        vmin=0,
        vmax=1,
        edgecolors="0.8",
        linewidth=0.4,
    )
    hatch(axes, maps)
    if T <= T_NUMBERS:
        write_numbers(axes, maps, n, style)
    middles = [place + 0.5 for place in range(T)]
    turned = T > T_NUMBERS or max(map(width, names)) > 4
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelsize=9 if T <= T_NUMBERS else 7)
    axes.set_xticks(middles, names, rotation=90 if turned else 0, **style)
    axes.set_yticks(middles, names, **style)
    axes.set(xlim=(0, T), ylim=(T, 0), aspect="equal")
    axes.spines[:].set_visible(False)
    if maps.titles:
        axes.set_title(maps.titles[n], fontsize=10, **style)


def hatch(axes: Axes, maps: "Heatmap") -> None:
    """Hatch the hidden cells, on white: nothing below shines through."""
    T = len(maps.tokens)
    cells = [
        Path([(j, i), (j + 1, i), (j + 1, i + 1), (j, i + 1), (j, i)], closed=True)
        for i in range(T)
        for j in range(T)
        if maps.is_hidden(i, j)
    ]
    if cells:  # as one path, since each hatched one takes long to draw
        whole = Path.make_compound_path(*cells)
        axes.add_patch(PathPatch(whole, fc="white", ec="0.65", lw=0, hatch="/////"))


def write_numbers(axes: Axes, maps: "Heatmap", n: int, style: Style) -> None:
    """Write the number of each cell that is not hidden."""
    for i, row in enumerate(maps.weights[n]):
        for j, weight in enumerate(row):
            if maps.is_hidden(i, j):
                continue
            axes.text(
                j + 0.5,
                i + 0.5,
                f"{weight:.2f}",
                ha="center",
                va="center",
                fontsize=8.5,
                color="black" if weight < ramp.TURN else "white",
                **style,
            )


def families(text: str) -> list[str]:
    """Give the fonts for a text: the usual, and others if that lacks signs.

    Asking for others only then keeps pictures the same on all machines.
    """
    usual = list(rcParams["font.family"])
    properties = font_manager.FontProperties(family=usual)
    font = font_manager.get_font(font_manager.findfont(properties))
    if all(font.get_char_index(ord(char)) for char in text):
        return usual
    installed = set(font_manager.get_font_names())
    return usual + [name for name in OTHER_FONTS if name in installed]


def write_png(maps: "Heatmap") -> bytes:
    """Draw all maps as a PNG, the same bytes each time."""
    figure = draw(maps)
    wide, high = figure.get_size_inches()
    dpi = min(DPI, math.sqrt(PIXELS / (wide * high)))
    data = io.BytesIO()
    with warnings.catch_warnings():
        # There is nothing to do about a font without a token's signs.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(data, format="png", dpi=dpi, metadata={"Software": None})
    return data.getvalue()
