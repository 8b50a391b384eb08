"""A document and its results to Markdown, for the site or for any other reader."""

from literate.render.numbers import Listed, numbers
from literate.render.plain import Plain, plain
from literate.render.site import Frame, Rendered, fill, site

__all__ = ["Frame", "Listed", "Plain", "Rendered", "fill", "numbers", "plain", "site"]
