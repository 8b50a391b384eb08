"""Results of pages, kept by what they depend on."""

from literate.cache.store import Cache, Contents

__all__ = ["Cache", "Contents"]
