"""What pages say of blocks that gave no result, for the site and as plain Markdown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from literate import render
from literate.document import Document
from literate.parse import parse
from literate.results import BlockResult, ChapterResult, ClaimValue, Failure, Text
from literate.source import Source

FRONT = "---\nliterate: true\n---\n"

FAILED = BlockResult(0, (Text("half\n"),), failure=Failure("the block raised E", "mend it", 5))
DONE = BlockResult(0, (Text("new\n"),))


def document(*blocks: str) -> Document:
    return parse(Source("page.md", FRONT + "\n".join(blocks)))


def shown(page: render.Rendered) -> str:
    return render.fill(page.markdown, page.inserts)


FIRST = "```python\na\n```\n"
OUTPUT = "```output\nold\n```\n"
NEEDS = '```python needs="gpt2"\na\n```\n'


@pytest.mark.parametrize(
    ("blocks", "result", "note"),
    [
        ((FIRST, OUTPUT), ChapterResult({0: FAILED}), "Not from this run: this block failed."),
        ((FIRST, OUTPUT), ChapterResult(), "Not from this run:"),
        (
            (FIRST, FIRST, OUTPUT),
            ChapterResult({0: FAILED}),
            "Not from this run: the block on line 4 failed.",
        ),
        (
            (NEEDS, OUTPUT),
            ChapterResult(missing={"gpt2": "run *it* in `a_b`"}),
            r"Not from this run: it needs gpt2; run \*it\* in \`a\_b\`.",
        ),
    ],
)
def test_plain_output_that_is_not_of_this_run_says_so(
    blocks: tuple[str, ...], result: ChapterResult, note: str
) -> None:
    written = render.plain(document(*blocks), result).markdown
    assert written.endswith(f"```\n\n*{note}*\n\n```text\nold\n```\n")


def test_plain_output_of_this_run_says_nothing() -> None:
    written = render.plain(document(FIRST, OUTPUT), ChapterResult({0: DONE})).markdown
    assert written.endswith("```python\na\n```\n\n```text\nnew\n```\n")


def test_plain_note_stands_in_the_container_of_its_block() -> None:
    quoted = "".join(f"> {line}\n" for line in (FIRST + "\n" + OUTPUT).splitlines())
    written = render.plain(document(quoted), ChapterResult({0: FAILED})).markdown
    assert "> ```\n> \n> *Not from this run: this block failed.*\n>\n> ```text\n" in written


def test_figures_below_a_failed_block_are_said_to_be_missing() -> None:
    figure = '```python alt="a" caption="b 2.5<!--= c -->"\nplot()\n```\n'
    page = document(FIRST, figure)
    result = ChapterResult({0: FAILED})
    written = render.plain(page, result).markdown
    assert written.count("No result: this block failed.") == 1
    assert written.endswith("*No result: the block on line 4 failed.*\n")
    site = shown(render.site(page, result, render.Frame()))
    assert site.count("Not run, because the block on line 4 failed.") == 1
    assert "<figure" not in site


@pytest.mark.parametrize(
    "result",
    [
        ChapterResult({0: FAILED}),
        ChapterResult({0: DONE, 1: replace(FAILED, index=1)}),
        ChapterResult({0: DONE, 1: replace(DONE, index=1)}),
        ChapterResult({0: DONE}, missing={"gpt2": "fetch it"}),
    ],
)
@pytest.mark.parametrize("options", ["", " hide", " fold", " needs=gpt2", " norun"])
def test_link_to_a_figure_that_is_not_there_leads_to_its_block(
    result: ChapterResult, options: str
) -> None:
    page = document(FIRST, f'```python{options} id="one" caption="a"\nplot()\n```\n')
    site = shown(render.site(page, result, render.Frame()))
    assert site.count(' id="one"') == 1


def test_block_that_never_runs_says_nothing() -> None:
    page = document("```python norun\na\n```\n")
    assert render.plain(page, ChapterResult({0: FAILED})).markdown == "```python\na\n```\n"
    assert "Not run" not in shown(render.site(page, ChapterResult(), render.Frame()))


def test_claims_below_a_failed_block_are_marked_as_not_checked() -> None:
    page = document(FIRST, "is 2.5<!--= a -->\n")
    site = render.site(page, ChapterResult({0: FAILED}), render.Frame())
    assert 'class="literate-number literate-unchecked"' in site.inserts["number-0"]
    assert 'data-why="reported, not checked in this build"' in site.inserts["number-0"]
    assert "1 not checked in this build" in site.foot


def test_blocks_below_a_claim_that_ended_the_run_name_it() -> None:
    page = document("is 2.5<!--= end() -->\n", FIRST)
    result = ChapterResult(claims={0: ClaimValue(0, error="ended", fatal=True)})
    assert result.stopped
    why = "the claim on line 4 ended the run."
    assert f"Not run, because {why}" in shown(render.site(page, result, render.Frame()))
    assert f"*No result: {why}*" in render.plain(page, result).markdown


def test_how_to_get_what_blocks_need_is_said_once_a_page() -> None:
    other = NEEDS.replace("gpt2", "<b>")
    hidden = NEEDS.replace("python", "python hide")
    page = document(hidden, NEEDS, other, NEEDS, NEEDS)
    result = ChapterResult(missing={"gpt2": "fetch it", "<b>": "bake it"})
    site = shown(render.site(page, result, render.Frame(slug="a-b")))
    assert site.count("it needs gpt2; fetch it.") == site.count("bake it") == 1
    assert '<p class="literate-note" id="a-b-needs-2" data-search-exclude>Not run' in site
    again = 'it needs gpt2 as well (<a href="#a-b-needs-2">how to get it</a>).'
    assert site.count(again) == 2
    assert "it needs &lt;b&gt;; bake it." in site
