"""Text to `Document`: total, lossless and in time linear in the text."""

from literate.parse.assemble import parse
from literate.parse.frontmatter import opt_in_place

__all__ = ["opt_in_place", "parse"]
