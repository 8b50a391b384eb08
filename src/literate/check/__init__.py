"""A document held against its results: what is not so, and what to do; pure."""

from literate.check.page import check

__all__ = ["check"]
