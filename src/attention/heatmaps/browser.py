"""All heads of a model on one text, to look around in.

A page's script, ``docs/javascripts/heads.js``, makes a browser of what stands here.
Without it the maps are tables like any other.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from torch import Tensor

from attention.heatmaps import checks
from attention.heatmaps.maps import Heatmap, heatmap
from attention.mask import causal_mask

SCALE = 1000
TABLES = 8
"""More heads than these are too many tables for one page."""


@dataclass(frozen=True, repr=False)
class HeadBrowser:
    """Maps of all heads of all layers; made by `head_browser`.

    Attributes:
        layers: One `Heatmap` for each layer, with a map for each head.
        start: The layer and head that are shown first.
        source: Where the page finds the maps, if they do not stand in it.
    """

    layers: tuple[Heatmap, ...]
    start: tuple[int, int]
    source: str

    def _repr_html_(self) -> str:
        layer, head = self.start
        place = f' data-layer="{layer}" data-head="{head}"'
        if self.source:
            link = escape(self.source)
            return (
                f'<div class="attention-heads"{place} data-source="{link}" data-search-exclude>'
                f'<p>The maps of all heads are in <a href="{link}">a file of numbers</a>.</p>'
                "</div>"
            )
        # A closing tag within a token would end the script.
        data = json.dumps(self.data(), separators=(",", ":")).replace("<", "\\u003c")
        tables = "".join(layer._repr_html_() for layer in self.layers)
        return (
            f'<div class="attention-heads"{place} data-search-exclude>'
            f'<script type="application/json">{data}</script>{tables}</div>'
        )

    def data(self) -> dict[str, object]:
        """Give the maps in the form of a GPT-2 record, in thousandths."""
        maps = [
            [
                [[round(w * SCALE) for w in row[: i + 1]] for i, row in enumerate(head)]
                for head in layer.weights
            ]
            for layer in self.layers
        ]
        return {"scale": SCALE, "tokens": self.layers[0].tokens, "maps": maps}

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.layers))


def head_browser(
    weights: Sequence[Tensor],
    tokens: Sequence[str],
    *,
    start: tuple[int, int] = (0, 0),
    source: str = "",
) -> HeadBrowser:
    """Show all heads of a model on one text, one at a time.

    Args:
        weights: One ``(H, T, T)`` for each layer, from 0 to 1, with zeros
            above the diagonal.
        tokens: ``T`` strings.
        start: The layer and head to show first, from 0.
        source: The address of a file with the maps, as seen from the page,
            in the form of a GPT-2 record. Without one the maps stand in
            the page itself.

    Returns:
        A frozen `HeadBrowser`, which a page or notebook shows by itself.

    Raises:
        ValueError: If the shapes do not fit each other, a weight is none or
            stands above the diagonal, there is no such head to start from, or there are more than
            eight heads and no ``source``.
    """
    tokens = checks.read_strings(tokens, "tokens")
    mask = causal_mask(len(tokens)) if tokens else None
    layers = tuple(
        heatmap(
            heads,
            tokens,
            titles=[f"layer {layer}, head {head}" for head in range(len(heads))],
            mask=mask,
        )
        for layer, heads in enumerate(checks.read_layers(weights))
    )
    for layer, shown in enumerate(layers):
        for head, rows in enumerate(shown.weights):
            if any(weight > 0 for i, row in enumerate(rows) for weight in row[i + 1 :]):
                raise ValueError(
                    f"layer {layer}, head {head} has weights above the diagonal, which are "
                    "hidden here; show them with heatmap"
                )
    counts = [len(layer.weights) for layer in layers]
    if len(set(counts)) != 1:
        raise ValueError(f"every layer needs as many heads as the others, not {counts}")
    if start[0] not in range(len(layers)) or start[1] not in range(counts[0]):
        raise ValueError(
            f"there is no layer {start[0]} with a head {start[1]}; there are "
            f"{len(layers)} layers of {counts[0]} heads"
        )
    if sum(counts) > TABLES and not source:
        raise ValueError(f"{sum(counts)} heads are too many for one page; name a file with source=")
    return HeadBrowser(layers, start, source)
