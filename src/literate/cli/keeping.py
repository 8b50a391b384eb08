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
    size, most = (number / 2**20 for number in (contents.size, site.settings.cache_size))
    count = f"{contents.results} result{'' if contents.results == 1 else 's'}"
    print(f"{site.root / site.settings.cache}: {count}, {size:.1f} MB of at most {most:g} MB")
    return ExitStatus.CLEAN
