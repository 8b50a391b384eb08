"""The figures of a block: each is drawn once, as SVG, or as pixels if it is very large."""

from __future__ import annotations

import base64
import io
import sys
from typing import Any

__all__ = ["FIGURE", "LARGE", "LARGEST", "PNG", "SVG", "Figures"]

LARGEST = 500_000
"""Characters of SVG beyond which a figure is sent as pixels."""

LARGE = "application/x-literate-large"
"""The key under which a rasterised figure says how large its SVG was."""

SVG, PNG = "image/svg+xml", "image/png"
FIGURE = ("matplotlib.figure", "Figure")


class Figures:
    """What a block draws with matplotlib, and what of it has been shown."""

    def __init__(self) -> None:
        self._shown: list[Any] = []

    def is_figure(self, value: Any) -> bool:
        """Whether a value is a figure of matplotlib, without importing that."""
        module = sys.modules.get("matplotlib.figure")
        return module is not None and isinstance(value, module.Figure)

    def draw(self, figure: Any) -> dict[str, str]:
        """The figure's data by media type; it counts as shown from now on."""
        self._shown.append(figure)
        drawing = io.StringIO()
        figure.savefig(drawing, format="svg", metadata={"Date": None})
        svg = drawing.getvalue()
        if len(svg) <= LARGEST:
            return {SVG: svg}
        pixels = io.BytesIO()
        # Pixels cannot follow the page's colours, so they bring their own ground.
        figure.savefig(
            pixels, format="png", dpi=150, facecolor="white", metadata={"Software": None}
        )
        return {PNG: base64.b64encode(pixels.getvalue()).decode("ascii"), LARGE: str(len(svg))}

    def waiting(self) -> list[Any]:
        """The open figures of pyplot that have not been shown yet."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return []
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()]
        return [figure for figure in figures if not any(figure is other for other in self._shown)]

    def close(self, figure: Any) -> None:
        """Take a figure from pyplot, as a window that was shown and shut."""
        sys.modules["matplotlib.pyplot"].close(figure)

    def end_block(self) -> None:
        """Close what pyplot holds open, so that no figure reaches the next block."""
        self._shown.clear()
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is not None:
            pyplot.close("all")
