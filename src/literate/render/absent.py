"""Why there is no result of a block that was to run."""

from __future__ import annotations

from literate.document import CodeBlock, Document
from literate.results import ChapterResult

__all__ = ["why_absent"]


def why_absent(document: Document, result: ChapterResult, block: CodeBlock) -> str:
    """What kept a block from running; empty where nobody asked it to.

    Args:
        document: the page.
        result: what its blocks and claims gave.
        block: one that gave nothing.
    """
    needs = block.options.needs
    if needs in result.missing:
        return f"it needs {needs}; {result.missing[needs]}"
    if result.failed:
        line = document.blocks[result.failed.index].location.line
        return f"the block on line {line} failed"
    for claim in result.claims.values():
        if claim.fatal:
            line = document.claims[claim.index].location.line
            return f"the claim on line {line} ended the run"
    return ""
