"""One page in a process of its own, on any system."""

from __future__ import annotations

import os
from typing import NoReturn

from literate.jobs import Job
from literate.worker.conversation import Conversation
from literate.worker.player import Player
from literate.worker.shelf import Shelf

__all__ = ["run"]


def run() -> NoReturn:
    """Import what is named, if anything is, then run the page whose job comes on stdin."""
    line = Conversation.of_standard_streams()
    order = line.hear()
    if order and order["do"] == "load":
        shelf = Shelf()
        for name in order["names"]:
            shelf.load(name)
        order = line.hear()
    if order:
        Player(line, Job.from_json(order["job"])).play()
    os._exit(0)
