"""The import table of docs/architecture.md, held against the code."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "literate"
TABLE = ROOT / "docs" / "architecture.md"


def allowed() -> dict[str, set[str]]:
    """The table's rows, in order: a module and what it may import."""
    rows: dict[str, set[str]] = {}
    for line in TABLE.read_text("utf-8").splitlines():
        row = re.fullmatch(r"\| `(\w+)` \|[^|]*\|([^|]*)\|", line)
        if row is None:
            continue
        names = set(re.findall(r"`(\w+)`", row[2]))
        if row[2].strip().startswith("all above"):
            names = set(rows) - names
        rows[row[1]] = names
    return rows


def modules() -> dict[str, list[Path]]:
    """The package's modules, a package within it counting as one."""
    found: dict[str, list[Path]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if not name.startswith("__"):
            found.setdefault(name, []).append(path)
    return found


def imports(path: Path) -> set[str]:
    """The modules of `literate` that a file imports, at any depth of its code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            module = node.module or ""
            names = [f"{module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "literate":
                found.add(parts[1])
    return found


def test_table_lists_every_module_and_no_other() -> None:
    assert set(allowed()) == set(modules())


def test_table_allows_only_modules_above() -> None:
    seen: set[str] = set()
    for name, names in allowed().items():
        assert names <= seen, f"{name} may import {names - seen}, which stand below it"
        seen.add(name)


@pytest.mark.parametrize("name", sorted(modules()))
def test_module_imports_what_the_table_allows(name: str) -> None:
    for path in modules()[name]:
        extra = imports(path) - allowed()[name] - {name}
        assert not extra, f"{path.relative_to(ROOT)} imports {sorted(extra)}"


def test_root_of_package_imports_no_module() -> None:
    assert imports(PACKAGE / "__init__.py") == set()
