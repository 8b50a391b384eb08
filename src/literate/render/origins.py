"""Which block a claim's numbers come from."""

from __future__ import annotations

import ast
import bisect

from literate.document import Claim, CodeBlock, Document
from literate.names import bound_names

__all__ = ["Origins"]


class Origins:
    """Finds the block that last gave a value to a name that a claim uses.

    An import gives none: a claim about ``math.pi`` comes from no block.
    """

    def __init__(self, document: Document) -> None:
        self._blocks: dict[str, list[CodeBlock]] = {}
        for block in document.blocks:
            for name in bound_names(block, imports=False):
                self._blocks.setdefault(name, []).append(block)

    def of(self, claim: Claim) -> CodeBlock | None:
        """The last block before the claim that binds one of its names, if there is one."""
        start, last = claim.literal.span.start, None
        for name in _used_names(claim.expression):
            blocks = self._blocks.get(name, [])
            before = bisect.bisect_left(blocks, start, key=lambda block: block.span.start)
            if before and (last is None or last.index < blocks[before - 1].index):
                last = blocks[before - 1]
        return last


def _used_names(expression: str) -> set[str]:
    try:
        tree = ast.parse(expression, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
