"""Starts workers, listens to them, and ends those that take too long."""

from literate.execute.limits import Limits
from literate.execute.run import Outcome, run
from literate.execute.steps import steps_of
from literate.execute.workers import Workers

__all__ = ["Limits", "Outcome", "Workers", "run", "steps_of"]
