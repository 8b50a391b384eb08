"""Text to `Document`: total, lossless and in time linear in the text."""

from literate.parse.assemble import parse

__all__ = ["parse"]
