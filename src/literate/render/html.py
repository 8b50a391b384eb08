"""The HTML of what a block gave; all text is escaped here and nowhere else."""

from __future__ import annotations

import re
from html import escape

from literate.document import BlockOptions
from literate.results import Failure, Rich
from literate.source import Location
from literate.svg import UnreadableSvgError, for_page

__all__ = [
    "caption_text",
    "failure_box",
    "figure",
    "fold_begin",
    "fold_end",
    "note",
    "note_again",
    "output_box",
]

_IMAGES = ("image/png", "image/jpeg", "image/gif")
_CODE = re.compile(r"`([^`]+)`")


def output_box(text: str, label: str = "output", kind: str = "") -> str:
    """A block's output: out of the search index, and scrolling inside itself."""
    classes = f"literate-output {kind}".strip()
    return (
        f'<div class="{classes}" data-search-exclude>'
        f'<span class="literate-label">{escape(label)}</span>'
        f'<pre tabindex="0" role="group" aria-label="{escape(label)}">'
        f"<code>{escape(text)}\n</code></pre></div>"
    )


def figure(
    rich: tuple[Rich, ...],
    options: BlockOptions,
    prefix: str,
    caption: str,
    volatile: str = "from this build",
) -> str:
    """All that a block shows besides text, with its caption.

    The wrapper is a ``figure`` and no ``div``: Material's search stops passing over
    an element at the first closing tag of the same name.

    Args:
        rich: the results, in order.
        options: the block's, for alternative text and id.
        prefix: goes before the ids inside drawings.
        caption: its HTML.
        volatile: where the result comes from, if the block is volatile.
    """
    alone = len(rich) == 1
    alt = options.alt if alone else ""
    inner = "".join(_rich(item, alt, f"{prefix}{k}-") for k, item in enumerate(rich))
    attributes = f' id="{escape(options.id)}"' if options.id else ""
    if options.alt and not (alone and rich[0].is_figure):
        attributes += f' aria-label="{escape(options.alt)}"'
    mark = ' class="literate-figure"'
    label = ""
    if options.volatile:
        mark = ' class="literate-figure literate-volatile"'
        label = f'<span class="literate-label">{volatile}</span>'
    below = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure{mark}{attributes} data-search-exclude>{label}{inner}{below}</figure>"


def _rich(item: Rich, alt: str, prefix: str) -> str:
    """One result: HTML as it is, a drawing with ids of its own, or pixels."""
    if "text/html" in item.data:
        return item.data["text/html"]
    if "image/svg+xml" in item.data:
        try:
            return for_page(item.data["image/svg+xml"], prefix, alt)
        except UnreadableSvgError as error:
            return note(str(error))
    name = next(name for name in _IMAGES if name in item.data)
    return f'<img src="data:{name};base64,{item.data[name]}" alt="{escape(alt)}">'


def caption_text(text: str) -> str:
    """A piece of a caption; backticks mark code, as in the prose."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def failure_box(where: Location, failure: Failure) -> str:
    """What went wrong with a block, in its place on the page."""
    trace = f"<pre><code>{escape(failure.traceback)}\n</code></pre>" if failure.traceback else ""
    return (
        '<div class="literate-error" role="alert" data-search-exclude>'
        f"<p><strong>{escape(str(where))}</strong></p>"
        f"<p>{escape(failure.what)}; {escape(failure.todo)}</p>{trace}</div>"
    )


def note(text: str, name: str = "") -> str:
    """A quiet sentence of the engine's own; ``name`` is its id, if something leads there."""
    named = f' id="{escape(name)}"' if name else ""
    return f'<p class="literate-note"{named} data-search-exclude>{escape(text)}</p>'


def note_again(needs: str, name: str) -> str:
    """What is said of a block whose resource another note, of that id, tells how to get."""
    link = f'<a href="#{escape(name)}">how to get it</a>'
    text = f"Not run in this build: it needs {escape(needs)} as well ({link})."
    return f'<p class="literate-note" data-search-exclude>{text}</p>'


def fold_begin(title: str) -> str:
    """The start of code that is one click away."""
    return f'<details class="literate-fold"><summary>{escape(title)}</summary>'


def fold_end() -> str:
    """The end of code that is one click away."""
    return "</details>"
