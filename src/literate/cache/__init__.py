"""Results of pages, kept by what they depend on."""

from literate.cache.dependencies import Digests
from literate.cache.files import Attachment
from literate.cache.store import Cache, Contents

__all__ = ["Attachment", "Cache", "Contents", "Digests"]
