"""The command line: ``literate check``, ``literate sync`` and their like."""

from literate.cli.main import main

__all__ = ["main"]
