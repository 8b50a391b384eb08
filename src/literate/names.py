"""Which names the blocks of a page bind, as far as their text tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from literate.document import CodeBlock, Document

__all__ = ["bound_names", "defined_below"]

_UNDEFINED = re.compile(r"NameError: name '(\w+)' is not defined")

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def bound_names(block: CodeBlock, imports: bool) -> set[str]:
    """The names that a block's own statements give to the page; none if it is no Python.

    Args:
        block: one of the page's.
        imports: whether a name that is only imported counts.
    """
    if block.options.norun:
        return set()
    if block.options.source:
        return {block.options.source.rsplit(".", 1)[-1]}
    try:
        tree = ast.parse(block.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = set[str]()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if imports and isinstance(node, ast.Import | ast.ImportFrom):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        names.update(_names_of(node))
        waiting += _same_scope(node)
    return names


def _names_of(node: ast.AST) -> Iterator[str]:
    """The names that one node binds by itself."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name
        case ast.MatchMapping(rest=str(name)):
            yield name


def _same_scope(node: ast.AST) -> Iterator[ast.AST]:
    """What stands in a node, without what binds its names somewhere else."""
    if isinstance(node, _COMPREHENSIONS):
        # Of all that a comprehension binds, only `:=` reaches out of it.
        yield from (inner for inner in ast.walk(node) if isinstance(inner, ast.NamedExpr))
    elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        yield from ast.iter_child_nodes(node)


def defined_below(document: Document, error: str, offset: int) -> str:
    """What an undefined name's first definition, further down, has to say to an error.

    Args:
        document: the page.
        error: the kind and the message of an exception.
        offset: where on the page it was raised.

    Returns:
        A piece to put behind the message; empty if there is nothing to say.
    """
    found = _UNDEFINED.search(error)
    if found is None:
        return ""
    name = found[1]
    blocks = (block for block in document.blocks if name in bound_names(block, imports=True))
    first = next(blocks, None)
    if first is None or first.span.start <= offset:
        return ""
    return f"; `{name}` is first defined by the block at line {first.location.line}, below"
