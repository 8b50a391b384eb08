"""Two versions of a page: the numbers and outputs that differ, and their Markdown."""

from __future__ import annotations

from literate.diff.compare import Difference, Quote, Shown, compare
from literate.diff.markdown import markdown

__all__ = ["Difference", "Quote", "Shown", "compare", "markdown"]
