"""Starts workers, listens to them, and ends those that take too long."""

from literate.execute.limits import Limits
from literate.execute.run import Outcome, run
from literate.execute.session import Session
from literate.execute.steps import steps_of
from literate.execute.workers import CAN_FORK, Workers

__all__ = ["CAN_FORK", "Limits", "Outcome", "Session", "Workers", "run", "steps_of"]
