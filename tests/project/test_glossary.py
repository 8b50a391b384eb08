"""The hook that leads the first use of a term to the glossary."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import markdown
import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("glossary", ROOT / "scripts/glossary.py")
assert SPEC
assert SPEC.loader
glossary = importlib.util.module_from_spec(SPEC)
sys.modules["glossary"] = glossary  # dataclasses look themselves up there
SPEC.loader.exec_module(glossary)

TERMS = """\
# Glossary

## head { #head }

One attention of its own.

## query { #query }

What a position "looks" for.

## token { #token }

A word.
"""
HEAD = '<a class="term" href="g/#head" title="One attention of its own.">{}</a>'
QUERY = '<a class="term" href="g/#query" title="What a position &quot;looks&quot; for.">{}</a>'


def shown(text: str) -> str:
    found = glossary.entries(TERMS)
    html = markdown.markdown(
        glossary.with_abbreviations(text, found), extensions=["abbr", "footnotes"]
    )
    linked: str = glossary.first_uses(html, found, "g/")
    return linked


def test_first_use_in_each_section_is_a_link() -> None:
    assert shown("A head, two heads.\n\n## More\n\nHeads again. Heads.") == (
        f"<p>A {HEAD.format('head')}, two heads.</p>\n<h2>More</h2>\n"
        f"<p>{HEAD.format('Heads')} again. Heads.</p>"
    )


def test_plural_of_query_is_found_and_its_meaning_escaped() -> None:
    assert shown("All queries.") == f"<p>All {QUERY.format('queries')}.</p>"


def test_term_that_is_being_explained_is_no_link() -> None:
    assert shown("A *head* is this. A head.") == "<p>A <em>head</em> is this. A head.</p>"


@pytest.mark.parametrize(
    "text",
    [
        "<details><summary>a head</summary></details>",
        "# A head",
        "## A head",
        "[a head](x)",
        "`head`",
        "ahead",
        "token",
        "x[^1]\n\n[^1]: head",
    ],
)
def test_headings_links_code_notes_and_common_words_stay_as_they_are(text: str) -> None:
    assert 'class="term"' not in shown(text)
    assert "<abbr" not in shown(text)


def test_heading_does_not_count_as_first_use() -> None:
    assert HEAD.format("head") in shown("## The head\n\nA head.")


def test_every_entry_of_the_glossary_is_read() -> None:
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    found = glossary.entries(text)
    assert len(found) == text.count("\n## ") > 20
    assert [entry.anchor for entry in found] == sorted(entry.anchor for entry in found)
    assert {entry.term for entry in found} >= glossary.COMMON
