"""The command line: ``literate check``, ``sync``, ``render``, ``audit``, ``diff`` and ``cache``."""

from literate.cli.main import main

__all__ = ["main"]
