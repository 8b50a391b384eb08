"""What MkDocs is told besides `mkdocs.yml`."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment


def on_env(env: Environment, config: Any, files: Any) -> Environment:
    """Leave out the blank lines that the theme's templates would make.

    They are hundreds of bytes of every page, also when it is compressed.
    """
    env.trim_blocks = env.lstrip_blocks = True
    return env
