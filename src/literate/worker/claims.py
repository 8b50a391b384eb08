"""Evaluates claims in the process that ran the blocks, without a trace in it."""

from __future__ import annotations

import ast
from typing import Any

from literate.jobs import Question
from literate.results import ClaimValue
from literate.terminal import as_shown
from literate.worker.state import State

__all__ = ["evaluate"]

_LONGEST = 10_000


def evaluate(
    question: Question, names: dict[str, Any], path: str, state: State | None = None
) -> tuple[ClaimValue, State | None]:
    """Evaluate one claim's expression.

    Args:
        question: the claim.
        names: the page's namespace.
        path: the chapter, for tracebacks and warnings.
        state: what the claim before it has left, if no block ran since.

    Returns:
        The value, and the page's state if it is as it was: the next claim needs no other.
    """
    try:
        state = state or State(names)
        tree = ast.parse(question.expression.strip(), path, mode="eval")
        ast.increment_lineno(tree, question.line - 1)
        value = eval(compile(tree, path, "eval"), names)
        result = _truth(question, value) if question.truth else _value(question, value)
    except BaseException as error:
        result = ClaimValue(question.index, error=_words(error))
    if state is None:
        return result, None
    try:
        state.forget("__builtins__")
        changes = state.changes()
        if changes:
            state.restore()
            what = f"it {' and '.join(changes)}, and a claim may only look"
            return ClaimValue(question.index, error=result.error or what), None
    except Exception as error:
        return ClaimValue(question.index, error=_words(error)), None
    return result, state


def _words(error: BaseException) -> str:
    """The kind of an exception and the first line of its message, if it has one."""
    try:
        text = str(error).strip().split("\n")[0]
    except Exception:
        text = ""
    text = as_shown(text.encode("utf-8", "replace"))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _truth(question: Question, value: Any) -> ClaimValue:
    truth = str(bool(value))
    return ClaimValue(question.index, "truth", truth, (truth,))


def _value(question: Question, value: Any) -> ClaimValue:
    """A value in the forms in which a page may show it."""
    plain = _plain(value)
    written = dict.fromkeys((repr(plain), str(plain), str(value)))
    if max(map(len, written)) > _LONGEST:
        raise ValueError(f"the value has more than {_LONGEST:,} characters")
    forms = tuple(as_shown(text.encode("utf-8", "replace")) for text in written)
    if isinstance(plain, bool):
        return ClaimValue(question.index, "truth", str(plain), forms)
    if isinstance(plain, int | float):
        # By this name also for subclasses, which may print themselves otherwise.
        text = int.__repr__(plain) if isinstance(plain, int) else float.__repr__(plain)
        return ClaimValue(question.index, "number", text, forms)
    number = type(plain).__name__ in {"Decimal", "Fraction"}
    if number:
        exact = plain if type(plain).__name__ == "Decimal" else float(plain)
        return ClaimValue(question.index, "number", str(exact), forms)
    return ClaimValue(question.index, "text", forms[0], forms)


def _plain(value: Any) -> Any:
    """A value of Python's own: numbers for scalars of any make, lists for arrays."""
    kind = type(value)
    if kind.__name__ == "Size" and kind.__module__.startswith("torch"):
        return tuple(value)
    if hasattr(value, "tolist") and callable(value.tolist):
        return value.tolist()
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if kind is tuple:
        return tuple(_plain(item) for item in value)
    return value
