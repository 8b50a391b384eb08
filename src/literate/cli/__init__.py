"""The command line: ``literate check``, ``sync``, ``render``, ``audit`` and ``diff``."""

from literate.cli.main import main

__all__ = ["main"]
