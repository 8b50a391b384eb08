"""The reference: an entry for every public name, and a way there from the chapter."""

from __future__ import annotations

import argparse
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import attention
import attention.gpt2
from literate.cli.main import _parser

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs" / "chapters").glob("*.md"))
FENCED = re.compile(r"^ *```.*?^ *```$", re.S | re.M)
NAMES = {name: f"attention.{name}" for name in attention.__all__} | {
    name: f"attention.gpt2.{name}" for name in attention.gpt2.__all__
}
"""Every public name, and the anchor of its entry."""

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
    found = entries(site, "attention")
    members = tuple(f"{name}." for name in NAMES.values())
    names = {name for name in found if not name.startswith(members)}
    assert names == set(NAMES.values())


@pytest.mark.parametrize("package", ["attention", "literate"])
def test_no_entry_is_about_a_private_name(site: Path, package: str) -> None:
    found = entries(site, package)
    assert found
    assert not [name for name in found if re.search(r"\._", name)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_chapter_links_the_first_use_of_a_name_to_its_entry(page: Path) -> None:
    """In its sentences; that the link arrives is a test of all internal links."""
    text = FENCED.sub("", page.read_text("utf-8"))
    lost = []
    for name, entry in NAMES.items():
        first = re.search(rf"`{name}`", text)
        link = f"[`{name}`](../reference/attention.md#{entry})"
        if first and not text.startswith(link, first.start() - 1):
            lost.append(name)
    assert not lost


def test_every_function_and_layer_of_the_chapters_code_is_linked_somewhere() -> None:
    pages = [page.read_text("utf-8") for page in PAGES]
    code = " ".join(block for page in pages for block in FENCED.findall(page))
    used = {name for name in NAMES if re.search(rf"\b{name}\(", code)}
    linked = {name for name in used if f"#{NAMES[name]})" in "".join(pages)}
    # Settings, and what the listings themselves construct, come with what they belong to.
    assert used - linked <= {"CopierConfig", "GPT2Config", "decode", "read_record"}
    assert linked >= {"causal_mask", "load_copier", "head_browser", "without_head"}


def test_reference_lists_every_command_with_its_options_and_no_other() -> None:
    """The page is written by hand, in the parser's order."""
    (commands,) = (
        action for action in _parser()._actions if isinstance(action, argparse._SubParsersAction)
    )
    shown = re.split(r"^`literate (?=[a-z]+[ `])", COMMANDS.read_text("utf-8"), flags=re.M)[1:]
    assert sorted(re.split(r"\W", part)[0] for part in shown) == sorted(commands.choices)
    for part in shown:
        options = {
            word
            for action in commands.choices[re.split(r"\W", part)[0]]._actions
            for word in action.option_strings
        }
        listed = set(re.findall(r"^    - `(--[\w-]+)", part, flags=re.M))
        assert listed == options - {"-h", "--help"}, re.split(r"\W", part)[0]
