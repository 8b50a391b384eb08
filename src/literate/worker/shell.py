"""An IPython shell without terminal, history or prompts, as a notebook has one."""

from __future__ import annotations

import base64
import codeop
import functools
import linecache
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from traitlets.config import Config

from literate.jobs import Question, Step
from literate.results import ClaimValue, Rich, Text
from literate.terminal import as_shown
from literate.worker.capture import Capture
from literate.worker.claims import evaluate
from literate.worker.figures import FIGURE, LARGE, PNG, SVG, Figures
from literate.worker.state import State

__all__ = ["Page"]

TEXT, HTML = "text/plain", "text/html"

MEDIA = (HTML, "image/svg+xml", "image/png", "image/jpeg", "image/gif", LARGE)
"""What counts as rich, the best first; other forms fall back to text."""


class _Display(DisplayHook):
    """Hands the value of a block's last expression to the page's parts."""

    shell: Any

    def quiet(self) -> bool:
        return bool(self.semicolon_at_end_of_expression(self.shell.page_code))

    def __call__(self, result: Any = None) -> None:
        if result is None or self.quiet():
            return
        self.shell.page.remember(result)
        self.shell.page.show_value(result, self.compute_format_data)


class _Publisher(DisplayPublisher):
    """Hands what ``display(...)`` gives to the page's parts."""

    shell: Any

    def publish(self, data: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        self.shell.page.show(data)

    def clear_output(self, wait: bool = False) -> None:
        """Nothing to clear: a page shows all that a block put out."""


class _Formatter(DisplayFormatter):
    """Asks for pictures only where there is no HTML, which the page would take anyway."""

    def format(self, obj: Any, include: Any = None, exclude: Any = None) -> Any:
        if include is None and exclude is None:
            data, metadata = super().format(obj, include={TEXT, HTML})
            # Nothing at all: the object has shown itself.
            if HTML in data or not data:
                return data, metadata
            more, about = super().format(obj, exclude={TEXT, HTML})
            return data | more, metadata | about
        return super().format(obj, include, exclude)


class _Shell(InteractiveShell):
    displayhook_class = _Display
    display_pub_class = _Publisher

    page_code = ""
    page: Page

    def init_display_formatter(self) -> None:
        """Use the formatter of this module."""
        self.display_formatter = _Formatter(parent=self)

    def show_figures(self) -> None:
        """What ``plt.show()`` does."""
        self.page.show_figures()

    format_error: BaseException | None = None

    def showtraceback(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing: the error stands in the result; one in showing a value is kept."""
        self.format_error = sys.exc_info()[1]

    def take_error(self) -> BaseException | None:
        """The last error in showing a value, which is then forgotten."""
        error, self.format_error = self.format_error, None
        return error

    def enable_gui(self, gui: Any = None) -> None:
        """Nothing to enable: a page has no windows."""

    def enable_matplotlib(self, gui: Any = None) -> tuple[Any, Any]:
        """Nothing to enable: figures show themselves, as ``%matplotlib inline`` asks."""
        return None, None

    def showsyntaxerror(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing: the error stands in the result."""


class Page:
    """The namespace of one page, and what its blocks show."""

    def __init__(self, path: str, capture: Capture, memory: int = 0) -> None:
        """A page that has run nothing.

        Args:
            path: the chapter, as messages call it.
            capture: of what blocks write to stdout.
            memory: bytes that its process may take; 0 for what there is.
        """
        self.path = path
        self.memory = memory
        self._capture = capture
        self._files: dict[int, str] = {}
        self._code = ("", "")
        self.places: dict[str, int] = {}
        """The chapter's line on which each block begins, by the name its code runs under."""
        self._parts: list[Text | Rich] = []
        self._value: Text | Rich | None = None
        self._figures = Figures()
        self._state: State | None = None
        config = Config()
        config.HistoryManager.enabled = False
        config.InteractiveShell.cache_size = 0
        config.InteractiveShell.colors = "nocolor"
        config.InteractiveShell.banner1 = ""
        self._shell = _Shell.instance(config=config)
        self._shell.page = self
        assert self._shell.display_formatter is not None
        formatters = self._shell.display_formatter.formatters
        for name in (SVG, PNG):
            formatters[name].for_type_by_name(*FIGURE, functools.partial(self._drawn, name))
        self._shell.compile.cache = self._remember  # type: ignore[method-assign]
        # At a prompt more might follow; here an open bracket is named with its place.
        self._shell.compile.flags &= ~getattr(codeop, "PyCF_ALLOW_INCOMPLETE_INPUT", 0)
        for name in ("In", "Out", "_dh", "_ih", "_oh", "open"):
            self._shell.user_ns.pop(name, None)
        self._last: Any = self._shell.user_ns.get("_")
        # IPython's own would ask a terminal that is not there.
        self._shell.user_ns.update(exit=sys.exit, quit=sys.exit)
        warnings.filterwarnings("ignore", "To exit: use", UserWarning)

    def place(self, steps: Sequence[Step | Question]) -> None:
        """Learn where blocks stand in the chapter.

        The code of a block runs under a name of its own and counts its lines from 1, so
        that nothing it does depends on the prose above it. What is said of it names the
        chapter's lines.
        """
        blocks = [step for step in steps if isinstance(step, Step)]
        self._files = {
            step.index: f"{self.path} block {number}" for number, step in enumerate(blocks, 1)
        }
        self.places = {self._files[step.index]: step.line for step in blocks}

    def file_of(self, step: Step) -> str:
        """The name under which a block's code runs."""
        return self._files[step.index]

    def run(self, step: Step) -> ExecutionResult:
        """Run a block."""
        self._state = None
        self._shell.page_code = step.code
        self._code = self.file_of(step), step.code
        result: ExecutionResult = self._shell.run_cell(step.code, store_history=False)
        return result

    def answer(self, question: Question) -> ClaimValue:
        """Evaluate a claim where the page stands; what it prints is nobody's."""
        names = self._shell.user_ns
        value, self._state = evaluate(question, names, self.path, self._state)
        self._capture.take()
        return value

    def remember(self, value: Any) -> None:
        """Call the last value ``_``, unless the page has given that name to something else."""
        names = self._shell.user_ns
        if names.get("_", self._last) is self._last:
            names["_"] = self._last = value

    def bind(self, name: str, value: Any) -> None:
        """Give the page a name."""
        self._state = None
        self._shell.user_ns[name] = value

    def take(self) -> tuple[Text | Rich, ...]:
        """What the block has shown, in order; figures that are still open come last.

        The text form of the last expression is dropped where the block has drawn a
        figure: it would be the axes or bars that a drawing function returns.
        """
        self._flush()
        for figure in self._figures.waiting():
            self._parts.append(Rich(self._figures.draw(figure)))
        parts, self._parts = self._parts, []
        value, self._value = self._value, None
        self._figures.end_block()
        drawn = any(isinstance(part, Rich) and part.is_figure for part in parts)
        return tuple(part for part in parts if not (drawn and part is value))

    def show_figures(self) -> None:
        """Show what is open now, in its place between what is printed, and close it."""
        for figure in self._figures.waiting():
            self._flush()
            self._parts.append(Rich(self._figures.draw(figure)))
            self._figures.close(figure)

    def show_value(self, value: Any, as_data: Any) -> None:
        """Show the value of a block's last expression."""
        if self._figures.is_figure(value):
            self._flush()
            self._parts.append(Rich(self._figures.draw(value)))
            return
        self._shell.take_error()
        data, _ = as_data(value)
        error = self._shell.take_error()
        if error is not None and not data:
            raise error
        if not data:
            return
        self.show(data)
        self._value = self._parts[-1] if isinstance(self._parts[-1], Text) else None

    def show(self, data: dict[str, Any]) -> None:
        """Show something by its media types."""
        self._flush()
        rich = {name: _as_text(value) for name, value in data.items() if name in MEDIA}
        if rich:
            self._parts.append(Rich(rich))
        else:
            text = as_shown(data.get(TEXT, "").encode("utf-8", "replace"))
            self._parts.append(Text(text + "\n"))

    def _drawn(self, name: str, figure: Any) -> Any:
        """What ``display(figure)`` gives: SVG, or pixels if it is very large."""
        data = self._figures.draw(figure)
        if name == PNG and PNG in data:
            return base64.b64decode(data[PNG])
        return data.get(name)

    def _flush(self) -> None:
        text = self._capture.take()
        if text:
            self._parts.append(Text(text))

    def _remember(self, *args: Any, **kwargs: Any) -> str:
        """Stand in for IPython's cache of cells; returns the code's file name.

        The code is put where `linecache` finds it, for tracebacks and `inspect`.
        """
        file, code = self._code
        lines = [f"{text}\n" for text in code.split("\n")]
        linecache.cache[file] = (len(code), None, lines, file)
        return file


def _as_text(value: Any) -> str:
    """A form as JSON can carry it: bytes in base64."""
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
