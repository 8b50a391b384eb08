"""The matplotlib backend of pages: ``plt.show()`` shows in place what is open."""

from __future__ import annotations

from typing import Any

from IPython.core.getipython import get_ipython
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

__all__ = ["FigureCanvas", "FigureManager"]


class FigureManager(FigureManagerBase):
    """Has no window."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Show the open figures now, and close them."""
        shell: Any = get_ipython()
        shell.show_figures()


class FigureCanvas(FigureCanvasAgg):
    """Measures text as the SVG will have it."""

    manager_class = FigureManager
