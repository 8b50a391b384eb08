"""Starts workers, listens to them, and ends those that take too long."""

from literate.execute.limits import Limits
from literate.execute.run import Outcome, run
from literate.execute.steps import steps_of

__all__ = ["Limits", "Outcome", "run", "steps_of"]
