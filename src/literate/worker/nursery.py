"""One process that imports what is heavy, and forks one for each page; Linux.

Its stdin is a socket: the first message names what to import; each that follows brings
two descriptors, a page's line and its leash. When the socket ends, so does everything.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import socket
from typing import NoReturn

from literate.jobs import Job
from literate.worker.checkpoints import ResumablePlayer
from literate.worker.conversation import Conversation
from literate.worker.family import (
    adopt_orphans,
    die_with_parent,
    end_children,
    forget_code,
    give_way,
    threads,
    wait_for,
)
from literate.worker.player import Player
from literate.worker.shelf import Shelf
from literate.worker.steps import PACKAGES, version

__all__ = ["serve"]

_LONGEST = 1 << 18

_DRAWING = ("matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg")
"""What matplotlib imports for the first figure."""

_SHELL = ("application", "completer", "completerlib", "logger", "magics", "oinspect")
"""What a shell of IPython imports when it is made."""


def serve() -> NoReturn:
    """Import, then fork for each page that is asked for, until nobody asks any more.

    The collector of garbage is off until all is imported.
    """
    adopt_orphans()
    orders = socket.socket(fileno=os.dup(0))
    for name in _SHELL:
        # Which of them there are depends on IPython's version.
        with contextlib.suppress(ImportError):
            importlib.import_module(f"IPython.core.{name}")
    shelf = Shelf()
    for name in json.loads(orders.recv(_LONGEST) or "[]"):
        shelf.load(name)
        for drawing in _DRAWING if name.startswith("matplotlib") else ():
            shelf.load(drawing)
    # What each page would do again: what this imports, and reading what stands here.
    shelf.renew()
    for name in filter(shelf.find_spec, PACKAGES):
        version(name)
    # A collection in a page would otherwise go through, and so copy, all of these packages.
    # Nor is there one before: pages would fill the holes, and copy what is around them.
    gc.freeze()
    gc.enable()
    fresh = True
    while True:
        words, descriptors, _, _ = socket.recv_fds(orders, 16, 2)
        if not words:
            end_children()
            os._exit(0)
        line, leash = descriptors
        _forget_the_dead()
        if threads() > 1:
            # A copy would lack the other threads, and hold their locks for ever.
            refused = Conversation(line, line)
            refused.hear()
            refused.say("unsafe")
        elif os.fork() == 0:
            orders.close()
            _supervise(Conversation(line, line), leash, shelf)
        os.close(line)
        os.close(leash)
        if fresh:
            # What importing has run is not run again here, and a page brings what it runs itself.
            forget_code()
            fresh = False


def _forget_the_dead() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def _supervise(line: Conversation, leash: int, shelf: Shelf) -> NoReturn:
    """Run a page in a copy of this process; leave nothing of it behind.

    This process is the page's first checkpoint, before all of its steps.
    """
    die_with_parent()
    os.setsid()
    while True:
        order = line.hear()
        if order is None or order["do"] != "start":
            end_children()
            line.say("ended")
            os._exit(0)
        child = os.fork()
        if child == 0:
            os.close(leash)
            _play(line, Job.from_json(order["job"]), shelf)
        adopt_orphans()
        status = wait_for(child, leash)
        line.say("at", number=0, status=status)


def _play(line: Conversation, job: Job, shelf: Shelf) -> NoReturn:
    die_with_parent()
    give_way()
    os.setsid()
    shelf.renew()
    player = Player(line, job) if job.worth is None else ResumablePlayer(line, job)
    player.play()
    os._exit(0)
