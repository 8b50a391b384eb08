"""The command that looks after the cache."""

from __future__ import annotations

import argparse

from literate import pipeline
from literate.cli.running import chosen_site, say
from literate.errors import ExitStatus

__all__ = ["cache"]


def cache(options: argparse.Namespace) -> ExitStatus:
    """Say what the cache holds, or drop some or all of it."""
    site = chosen_site(options)
    store = pipeline.open_cache(site, say)
    if store is None:
        print("no cache: the setting cache is empty")
        return ExitStatus.CLEAN
    if options.clear:
        print(f"{store.clear()} results dropped")
    elif options.prune:
        print(f"{store.prune(site.settings.cache_size)} results dropped")
    contents = store.contents()
    size, most = _size(contents.size), _size(site.settings.cache_size)
    count = f"{contents.results} result{'' if contents.results == 1 else 's'}"
    print(f"{site.root / site.settings.cache}: {count}, {size} of at most {most}")
    return ExitStatus.CLEAN


def _size(count: int) -> str:
    """A number of bytes in the largest of the settings' units that it fills.

    >>> [_size(count) for count in (0, 1023, 7_000, 2**20 - 1, 2**28, 3 * 2**29)]
    ['0 B', '1023 B', '6.8 kB', '1024 kB', '256 MB', '1.5 GB']
    """
    for unit, size in (("GB", 2**30), ("MB", 2**20), ("kB", 2**10)):
        if count >= size:
            return f"{count / size:.1f}".removesuffix(".0") + f" {unit}"
    return f"{count} B"
