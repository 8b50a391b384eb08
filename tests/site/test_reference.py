"""The reference: an entry for every public name, and a way there from the chapter."""

from __future__ import annotations

import argparse
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import attention
from literate.cli.main import _parser

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = ROOT / "docs" / "chapters" / "attention.md"
COMMANDS = ROOT / "docs" / "reference" / "literate.md"


class Headings(HTMLParser):
    """The ids of a page's headings."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if re.fullmatch(r"h[1-6]", tag):
            self.ids.append(dict(attrs).get("id") or "")


def entries(site: Path, package: str) -> list[str]:
    found = Headings(site / "reference" / package / "index.html").ids
    return [name for name in found if name.startswith(f"{package}.")]


def test_every_public_name_of_attention_has_an_entry_and_no_other_has(site: Path) -> None:
    found = {name.split(".")[1] for name in entries(site, "attention")}
    assert found == set(attention.__all__)


@pytest.mark.parametrize("package", ["attention", "literate"])
def test_no_entry_is_about_a_private_name(site: Path, package: str) -> None:
    found = entries(site, package)
    assert found
    assert not [name for name in found if re.search(r"\._", name)]


@pytest.mark.parametrize("name", sorted(set(attention.__all__) - {"Heatmap"}))
def test_chapter_links_the_first_use_of_a_name_to_its_entry(name: str) -> None:
    """That the link arrives is a test of all internal links. A ``Heatmap`` is never named."""
    text = CHAPTER.read_text("utf-8")
    first = re.search(rf"\b{name}\b", text)
    assert first is not None
    link = f"[`{name}`](../reference/attention.md#attention.{name})"
    assert text.startswith(link, first.start() - 2)


def test_chapter_does_not_name_the_class_of_a_map() -> None:
    assert not re.search(r"\bHeatmap\b", CHAPTER.read_text("utf-8"))


def test_reference_lists_every_command_with_its_options_and_no_other() -> None:
    """The page is written by hand, in the parser's order."""
    (commands,) = (
        action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    shown = re.split(r"^`literate (?=[a-z]+ )", COMMANDS.read_text("utf-8"), flags=re.M)[1:]
    assert sorted(part.split()[0] for part in shown) == sorted(commands.choices)
    for part in shown:
        options = {
            word
            for action in commands.choices[part.split()[0]]._actions
            for word in action.option_strings
        }
        listed = set(re.findall(r"^    - `(--\w+)", part, flags=re.M))
        assert listed == options - {"-h", "--help"}, part.split()[0]
