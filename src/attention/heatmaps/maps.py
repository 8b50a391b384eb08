"""The map itself, and the one function that makes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from attention.heatmaps import checks
from attention.heatmaps.markup import write_html
from attention.heatmaps.plain import write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class Heatmap:
    """One or several checked maps over the same tokens; made by `heatmap`.

    It shows itself as an HTML table in a page or notebook, as a PNG where
    only pictures are shown, and as a table of numbers in a terminal.

    Attributes:
        weights: ``(N, T, T)`` numbers from 0 to 1, as nested tuples.
        tokens: ``T`` labels, one for each row and column.
        titles: ``N`` names, one for each map; none for a map alone that was
            given none.
        mask: ``(T, T)`` truth values, True = hidden, or ``None``.
        caption: What stands before the sentences on rows, columns and
            values; it may be empty.
        rows: What the rows are.
        columns: What the columns are.
        values: What the numbers are.
    """

    weights: checks.Weights
    tokens: tuple[str, ...]
    titles: tuple[str, ...]
    mask: checks.Mask | None
    caption: str
    rows: str
    columns: str
    values: str

    def is_hidden(self, row: int, column: int) -> bool:
        """Say whether the mask hides this cell."""
        return self.mask is not None and self.mask[row][column]

    def figure(self) -> "Figure":
        """Draw the maps with matplotlib.

        The figure is new each time and unknown to ``pyplot``: nothing has
        to be closed, and it shows up in no other cell or block.

        Returns:
            The figure, one pair of axes for each map, in their order, and
            last the axes of the colour scale.
        """
        # Here, since matplotlib takes long to load and few need it.
        from attention.heatmaps.picture import draw

        return draw(self)

    def _repr_html_(self) -> str:
        return write_html(self)

    def _repr_png_(self) -> bytes | None:
        try:
            from attention.heatmaps.picture import write_png
        except ImportError:  # no matplotlib: the other forms have to do
            return None
        return write_png(self)

    def __repr__(self) -> str:
        return write_text(self)


def heatmap(
    weights: checks.Table,
    tokens: Sequence[str],
    *,
    titles: Sequence[str] | None = None,
    mask: checks.Table | None = None,
    caption: str | None = None,
    rows: str = "the tokens that look",
    columns: str = "the tokens looked at",
    values: str = "attention weights",
) -> Heatmap:
    """Show who looks at whom: one map, or several side by side.

    The scale is fixed, from 0 to 1, so that any two maps compare. Below
    13 tokens each cell shows its number; from 13 on the numbers come one
    at a time under the pointer, or all at once by a checkbox. Screen
    readers get every number either way.

    Args:
        weights: ``(T, T)``, or ``(N, T, T)`` for several maps, from 0 to
            1: a tensor on any device and of any float type, an array, or
            nested lists.
        tokens: ``T`` strings, ``T`` from 1 to 64, which name the rows from
            top to bottom and the columns from left to right.
        titles: One name for each map.
        mask: Boolean ``(T, T)`` with True = hidden, as `causal_mask` makes
            it. Hidden cells are hatched, and show no number.
        caption: Words to put before the sentences that say what rows,
            columns and values are. Those always stay.
        rows: What the rows are, to follow "Rows are".
        columns: What the columns are, to follow "columns".
        values: What the numbers are, to follow "Values are".

    Returns:
        A frozen `Heatmap`, which a notebook or page shows by itself.

    Raises:
        ValueError: If an argument is of a kind that cannot be read, such
            as a sparse tensor, the shapes do not fit each other, there is
            no token or more than 64, a weight is negative, above 1 by more
            than rounding, NaN or infinite, or the mask is not boolean.

    Examples:
        >>> heatmap([[1.0, 0.0], [0.25, 0.75]], ["The", "cat"],
        ...         mask=[[False, True], [False, False]])
              The  cat
        The  1.00    ×
        cat  0.25 0.75

        Numbers that are not weights need other words:

        >>> moved = heatmap([[1.0, 0.0], [0.5, 0.4]], ["0", "1"],
        ...                 rows="the outputs",
        ...                 columns="the tokens changed",
        ...                 values="how far each output moved")
        >>> moved.rows
        'the outputs'
    """
    table = checks.read_weights(weights)
    T = len(table[0])
    names = checks.read_tokens(tokens, T)
    hidden = None if mask is None else checks.read_mask(mask, T)
    caption = "" if caption is None else caption
    words = checks.read_words(caption=caption, rows=rows, columns=columns, values=values)
    return Heatmap(
        weights=table,
        tokens=names,
        titles=checks.read_titles(titles, len(table)),
        mask=hidden,
        **words,
    )
