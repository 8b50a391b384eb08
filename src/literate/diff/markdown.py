"""Differences as Markdown that reads well in a review on a code host."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal
from difflib import unified_diff

from literate.diff.compare import Difference, OutputPair, Quote, Shown
from literate.numbers import find, read

__all__ = ["markdown"]

_FEW = 4
"""So many changed numbers of one output are listed; more of them are a diff."""
_LINES = 24
"""Lines of a diff that are shown."""
_WIDTH = 60
"""Characters of a line of code that is named."""

# Rounding is harmless here: what is shown has two or three digits.
_ROUGH = Context(prec=9, traps=[])

# What no Markdown renderer takes for a mark of its own.
_PLAIN = re.compile(r"(?:[^\W_]|[.,%+\-−× ⁺⁻])*")


def markdown(differences: Sequence[Difference], revision: str) -> str:
    """All differences since a revision: a line that sums them up, then page by page.

    Args:
        differences: one for each page that was compared, also those without any.
        revision: how the old side is called.
    """
    changed = [difference for difference in differences if difference]
    pages = [part for difference in changed for part in _page(difference)]
    return "\n\n".join([_summary(changed, len(differences), revision), *pages])


def _summary(changed: Sequence[Difference], compared: int, revision: str) -> str:
    since = f"since {_code(revision)}"
    if not changed:
        return f"No number and no output changed {since}: {_count(compared, 'page')} compared."
    outputs = [pair for difference in changed for pair in difference.outputs]
    counts = {
        "changed": {
            "number": sum(len(difference.numbers) for difference in changed),
            "expression": sum(len(difference.expressions) for difference in changed),
            "output": sum(bool(old and new) for old, new in outputs),
        },
        "added": {
            "claim": sum(len(difference.added) for difference in changed),
            "output": sum(old is None for old, _ in outputs),
        },
        "removed": {
            "claim": sum(len(difference.removed) for difference in changed),
            "output": sum(new is None for _, new in outputs),
        },
    }
    parts = [
        f"{_listed([_count(number, noun) for noun, number in nouns.items() if number])} {verb}"
        for verb, nouns in counts.items()
        if any(nouns.values())
    ]
    return f"{', '.join(parts)} on {_count(len(changed), 'page')} {since}."


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _listed(words: Sequence[str]) -> str:
    return " and ".join([*filter(None, [", ".join(words[:-1])]), words[-1]])


def _page(difference: Difference) -> Iterator[str]:
    notes = [f"was {_code(difference.before)}"] if difference.before else []
    notes += [difference.state] if difference.state else []
    note = f" ({', '.join(notes)})" if notes else ""
    yield f"## {_code(difference.path)}{note}"
    if numbers := difference.numbers:
        yield "### Numbers changed"
        yield _table(["place", "old→", "new→", "change→", "expression"], map(_number_row, numbers))
    if expressions := difference.expressions:
        yield "### Expressions changed, numbers not"
        rows = [[_place(new), _literal(new), _proof(old), _proof(new)] for old, new in expressions]
        yield _table(["place", "number→", "old expression", "new expression"], rows)
    if added := difference.added:
        yield "### Claims added"
        yield _table(["place", "number→", "expression"], map(_quote_row, added))
    if removed := difference.removed:
        yield "### Claims removed"
        yield _table(["old place", "number→", "expression"], map(_quote_row, removed))
    if difference.outputs:
        yield "### Outputs"
        yield from _outputs(difference.outputs)


def _table(heads: Sequence[str], rows: Iterator[list[str]] | list[list[str]]) -> str:
    """A table; a column whose head ends in an arrow is set to the right."""
    rules = ["---:" if head.endswith("→") else "---" for head in heads]
    lines = [[head.rstrip("→") for head in heads], rules, *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _number_row(pair: tuple[Quote, Quote]) -> list[str]:
    old, new = pair
    proof = _proof(new) if old.proof == new.proof else f"{_proof(old)} → {_proof(new)}"
    return [_place(new), _literal(old), _literal(new), _change(old.literal, new.literal), proof]


def _quote_row(quote: Quote) -> list[str]:
    return [_place(quote), _literal(quote), _proof(quote)]


def _place(quote: Quote) -> str:
    return f"line {quote.line}"


def _literal(quote: Quote) -> str:
    return _word(quote.literal)


def _word(text: str) -> str:
    return _cell(text if _PLAIN.fullmatch(text) else _code(text))


def _proof(quote: Quote) -> str:
    return _cell(_code(quote.proof))


def _cell(text: str) -> str:
    """A text for a table, whose rows are cut at bars before code spans are read."""
    return text.replace("|", r"\|")


def _code(text: str) -> str:
    """A code span on one line, whatever backticks its text holds."""
    text = " ".join(re.split(r"[\r\n]+", text))
    runs = {len(run) for run in re.findall("`+", text)}
    ticks = "`" * next(size for size in range(1, len(runs) + 2) if size not in runs)
    blank = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) else ""
    return f"{ticks}{blank}{text}{blank}{ticks}"


def _change(old: str, new: str) -> str:
    """How far a number went from what it was; empty where that says nothing."""
    before, after = read(old.strip()), read(new.strip())
    if before is None or after is None:
        return ""
    if before.value == after.value:
        return "same value"
    ratio = _ROUGH.divide(after.value, before.value)
    if not ratio.is_finite() or ratio <= 0:
        return ""
    if ratio >= 10 or ratio * 10 <= 1:
        times, factor = ("×", ratio) if ratio > 1 else ("÷", _ROUGH.divide(Decimal(1), ratio))
        return f"{times} {factor:.0f}" if factor < 10**6 else f"{times} {factor:.0e}"
    per_cent = abs(ratio - 1) * 100
    sign = "+" if ratio > 1 else "−"
    if per_cent < 0.01:
        return f"{sign}0.01% or less"
    digits = 0 if per_cent >= 10 else 1 if per_cent >= 1 else 2
    return f"{sign}{per_cent:.{digits}f}%"


def _outputs(pairs: Sequence[OutputPair]) -> Iterator[str]:
    """A table of the outputs with few changed numbers, then diffs of the others."""
    rows: list[list[str]] = []
    diffs: list[str] = []
    for old, new in pairs:
        numbers = _numbers(old, new) if old and new else []
        if 0 < len(numbers) <= _FEW:
            rows += numbers
        else:
            diffs += [_caption(old, new), _diff(old, new)]
    if rows:
        yield _table(["place", "old→", "new→", "change→", "output of"], rows)
    yield from diffs


def _caption(old: Shown | None, new: Shown | None) -> str:
    if old and new:
        return f"Line {new.line}, output of {_block(old, new)}:"
    if new:
        return f"Line {new.line}, added, output of {_block(new, new)}:"
    assert old is not None
    return f"Old line {old.line}, removed, output of {_block(old, old)}:"


def _block(old: Shown, new: Shown) -> str:
    """A block by its last line, which mostly is what prints."""
    lines = [line.strip() for line in new.code.split("\n") if line.strip()]
    name = _code(_cut(lines[-1])) if lines else "an empty block"
    return name if old.code == new.code else f"{name}, whose code changed"


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _numbers(old: Shown, new: Shown) -> list[list[str]]:
    """Rows for the changed numbers of an output in which nothing else changed, else none."""
    rows: list[list[str]] = []
    if len(old.lines) != len(new.lines):
        return []
    block = _cell(_block(old, new))
    for line, (before, after) in enumerate(zip(old.lines, new.lines, strict=True), new.line):
        if _between(before) != _between(after):
            return []
        for found in zip(find(before, output=True), find(after, output=True), strict=True):
            was, now = (number.literal.text for number in found)
            if was != now:
                rows.append([f"line {line}", _word(was), _word(now), _change(was, now), block])
    return rows


def _between(line: str) -> list[str]:
    """What stands between the numbers of a line; blanks may have made room for a sign."""
    pieces, position = [], 0
    for found in find(line, output=True):
        pieces.append(line[position : found.start].strip())
        position = found.end
    return [*pieces, line[position:].strip()]


def _diff(old: Shown | None, new: Shown | None) -> str:
    before, after = (
        shown.text.rstrip().split("\n") if shown and shown.text else [] for shown in (old, new)
    )
    lines = list(unified_diff(before, after, n=2, lineterm=""))[3:]
    lines = ["…" if line.startswith("@@") else line for line in lines]
    if len(lines) > _LINES:
        lines[_LINES:] = [f"… {len(lines) - _LINES} more lines"]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}diff", *lines, fence])
