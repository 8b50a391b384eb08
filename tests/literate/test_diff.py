"""What `literate diff` says of pages in real checkouts, and its Markdown."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from literate.cli import main
from literate.diff import compare, markdown
from literate.parse import parse
from literate.source import Source

Write = Callable[..., Path]
Diff = Callable[..., str]

FRONT = "---\nliterate: true\n---\n"
CHAPTER = Path(__file__).parents[2] / "docs" / "chapters" / "attention.md"

PAGE = """\
# One { #one }

The weight is 0.576<!--= weights[2, 2] -->, the loss 0.17<!--= loss -->.

```python
print(weights)
```

```output
tensor([0.576, 0.212])
```

## Two

Four of five, 80%<!--= share -->, and 0.1<!--cite: the paper -->.
"""


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty checkout, away from the settings of who runs the tests."""
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    git("init", "--quiet")
    git("config", "core.autocrlf", "false")


@pytest.fixture
def diff(capsys: pytest.CaptureFixture[str]) -> Diff:
    """Run the command; its status is 0 whatever changed."""

    def run(*arguments: str) -> str:
        assert main(["diff", *(arguments or ["HEAD"])]) == 0
        return capsys.readouterr().out

    return run


def git(*arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], check=True, capture_output=True)


def commit() -> None:
    git("add", "--all")
    git("commit", "--quiet", "--allow-empty", "-m", "a")


def committed(write_page: Write, body: str = PAGE, name: str = "page.md", **more: str) -> Path:
    path = write_page(body, name, **more)
    commit()
    return path


def edit(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_bytes().decode()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_bytes(text.encode())


def test_changed_number_is_shown_with_both_values_expression_and_place(
    write_page: Write, diff: Diff
) -> None:
    edit(committed(write_page), ("0.576<", "0.581<"))
    assert diff() == (
        "1 number changed on 1 page since `HEAD`.\n\n"
        "## `page.md`\n\n"
        "### Numbers changed\n\n"
        "| place | old | new | change | expression |\n"
        "| --- | ---: | ---: | ---: | --- |\n"
        "| line 6 | 0.576 | 0.581 | +0.87% | `weights[2, 2]` |\n"
    )


def test_nothing_changed_says_so(write_page: Write, diff: Diff) -> None:
    path = committed(write_page)
    answer = "No number and no output changed since `HEAD`: 1 page compared.\n"
    assert diff() == answer
    edit(path, ("The weight is", "We now say that the weight is"))
    assert diff() == answer


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ("1.0", "0.5", "−50%"),
        ("93%", "0.93", "same value"),
        ("0.50", "0.5", "same value"),
        ("1", "2,000", "× 2000"),
        ("1e-3", "1e-5", "÷ 100"),
        ("0", "3", ""),
        ("3", "0", ""),
        ("-1.5", "1.5", ""),
        ("nan", "2.0", ""),
        ("1e-99", "1e99", "× 1e+198"),
        ("1000000", "1000001", "+0.01% or less"),
        ("−2.0", "−2.1", "+5.0%"),
        ("four", "five", ""),
    ],
)
def test_relative_change_is_shown_where_it_makes_sense(
    write_page: Write, diff: Diff, old: str, new: str, change: str
) -> None:
    edit(committed(write_page, f"{old}<!--assert: x -->\n"), (f"{old}<", f"{new}<"))
    assert f"| {old} | {new} | {change} | `assert: x` |" in diff()


def test_changed_expression_with_the_same_number_is_shown_apart(
    write_page: Write, diff: Diff
) -> None:
    edit(committed(write_page), ("= loss -->", "= loss.item(); tol=0.01 -->"))
    out = diff()
    assert out.startswith("1 expression changed on 1 page")
    assert "### Expressions changed, numbers not" in out
    assert "| line 6 | 0.17 | `loss` | `loss.item(); tol=0.01` |" in out


def test_number_with_another_expression_shows_both_expressions(
    write_page: Write, diff: Diff
) -> None:
    edit(committed(write_page), ("0.576<!--= weights[2, 2]", "0.212<!--= weights[2, 1]"))
    out = diff()
    assert out.startswith("1 number changed on 1 page")
    assert "| 0.576 | 0.212 | −63% | `weights[2, 2]` → `weights[2, 1]` |" in out


def test_added_and_removed_claims_have_tables_of_their_own(write_page: Write, diff: Diff) -> None:
    path = committed(write_page)
    edit(path, (", and 0.1<!--cite: the paper -->", ""), (", the", ", 7<!--= new_one() -->, the"))
    out = diff()
    assert out.startswith("1 claim added, 1 claim removed on 1 page")
    assert "### Claims added" in out
    assert "| line 6 | 7 | `new_one()` |" in out
    assert "### Claims removed" in out
    assert "| line 18 | 0.1 | `cite: the paper` |" in out


def test_moved_paragraph_is_no_change(write_page: Write, diff: Diff) -> None:
    path = committed(write_page)
    moved = "The weight is 0.576<!--= weights[2, 2] -->, the loss 0.17<!--= loss -->.\n\n"
    edit(path, (moved, ""))
    path.write_text(path.read_text() + "\n" + moved)
    assert diff().startswith("No number and no output changed")


def test_inserted_paragraph_does_not_move_the_others_on(write_page: Write, diff: Diff) -> None:
    path = committed(write_page, "# A\n\n1<!--= x -->\n\n2<!--= x -->\n\n3<!--= x -->\n")
    edit(path, ("1<!--", "0<!--= x -->\n\n1<!--"), ("3<", "4<"))
    out = diff()
    assert out.startswith("1 number changed, 1 claim added on 1 page")
    assert "| line 12 | 3 | 4 | +33% | `x` |" in out
    assert "| line 6 | 0 | `x` |" in out


def test_same_expression_is_found_in_its_own_section_first(write_page: Write, diff: Diff) -> None:
    path = committed(write_page, "# A\n\n1<!--= x -->\n\n# B\n\n2<!--= x -->\n")
    edit(path, ("# A\n\n1<!--= x -->\n\n", ""), ("2<", "3<"))
    path.write_text(path.read_text() + "\n# A\n\n1<!--= x -->\n")
    out = diff()
    assert out.startswith("1 number changed on 1 page")
    assert "| line 6 | 2 | 3 | +50% | `x` |" in out


def test_renamed_heading_keeps_its_numbers(write_page: Write, diff: Diff) -> None:
    edit(committed(write_page), ("## Two", "## The second"), ("= share", "= part"))
    assert "| 80% | `share` | `part` |" in diff()


def test_reflowed_comment_is_no_change(write_page: Write, diff: Diff) -> None:
    edit(committed(write_page), ("= weights[2, 2]", "=\n weights[2,\n   2]"))
    assert diff().startswith("No number and no output changed")


def test_claim_put_below_its_formula_is_no_change(write_page: Write, diff: Diff) -> None:
    path = committed(write_page, "2<!--= x -->\n")
    edit(path, ("2<!--= x -->", "$$ 2 $$\n\n<!--above\n2 = x\n-->"))
    assert diff().startswith("No number and no output changed")


def test_no_number_changes_when_prose_is_put_into_the_chapter() -> None:
    text = CHAPTER.read_text("utf-8")
    more = text.replace("\n## ", "\nA paragraph, 12<!--= 3 * 4 -->.\n\n## ")
    difference = compare(parse(Source("a.md", text)), parse(Source("a.md", more)))
    assert not difference.numbers
    assert not difference.expressions
    assert not difference.removed
    assert not difference.outputs
    assert len(difference.added) == text.count("\n## ")


def test_few_changed_numbers_of_an_output_are_rows(write_page: Write, diff: Diff) -> None:
    edit(committed(write_page), ("[0.576, 0.212]", "[0.581,  0.212]"))
    out = diff()
    assert out.startswith("1 output changed on 1 page")
    assert "| place | old | new | change | output of |" in out
    assert "| line 13 | 0.576 | 0.581 | +0.87% | `print(weights)` |" in out
    assert "0.212" not in out


def test_other_changes_of_an_output_are_a_diff(write_page: Write, diff: Diff) -> None:
    edit(committed(write_page), ("tensor([0.576, 0.212])", "a\n```` b"))
    out = diff()
    assert "Line 13, output of `print(weights)`:\n\n" in out
    assert "`````diff\n-tensor([0.576, 0.212])\n+a\n+```` b\n`````\n" in out


def test_long_diff_is_cut(write_page: Write, diff: Diff) -> None:
    edit(committed(write_page), ("tensor([0.576, 0.212])", "\n".join(map(str, range(99)))))
    out = diff()
    assert out.count("\n+") == 23
    assert out.endswith("\n… 76 more lines\n```\n")


def test_wider_blanks_of_an_output_are_no_change(write_page: Write, diff: Diff) -> None:
    edit(committed(write_page), ("[0.576, 0.212])", "[0.576,   0.212])  "))
    assert diff().startswith("No number and no output changed")


def test_output_of_changed_code_says_so(write_page: Write, diff: Diff) -> None:
    path = committed(write_page)
    edit(path, ("print(weights)", "print(2 * weights)"), ("[0.576, 0.212]", "[1.152, 0.424]"))
    assert "| × 2 |" not in diff()
    assert "| +100% | `print(2 * weights)`, whose code changed |" in diff()


def test_outputs_follow_their_blocks(write_page: Write, diff: Diff) -> None:
    first = "```python\nfirst()\n```\n\n```output\n1\n```\n\n"
    second = "```python\nsecond()\n```\n\n```output\n2\n```\n\n"
    path = committed(write_page, first + second)
    write_page("```python\nsilent()\n```\n\n" + second + first.replace("\n1\n", "\n3\n"))
    out = diff("HEAD", str(path))
    assert out.startswith("1 output changed on 1 page")
    assert "| 1 | 3 | +200% | `first()` |" in out


def test_outputs_come_and_go(write_page: Write, diff: Diff) -> None:
    block, output = "```python\nf()\n```\n", "\n```output\n5\n```\n"
    path = committed(write_page, block)
    write_page(block + output)
    assert "Line 9, added, output of `f()`:\n\n```diff\n+5\n```\n" in diff()
    commit()
    write_page(block)
    out = diff()
    assert out.startswith("1 output removed on 1 page")
    assert "Old line 9, removed, output of `f()`:\n\n```diff\n-5\n```\n" in out
    assert path.exists()


def test_new_page_lists_its_claims_and_outputs(write_page: Write, diff: Diff) -> None:
    committed(write_page)
    write_page(PAGE, "new.md")
    out = diff("HEAD", ".")
    assert out.startswith("4 claims and 1 output added on 1 page since `HEAD`.\n")
    assert "## `new.md` (new)\n" in out


def test_deleted_page_is_found_by_folder_and_by_name(write_page: Write, diff: Diff) -> None:
    committed(write_page, name="docs/old.md").unlink()
    for path in ("docs", "docs/old.md", "."):
        out = diff("HEAD", path)
        assert out.startswith("4 claims and 1 output removed on 1 page since `HEAD`.\n")
        assert "## `docs/old.md` (deleted)\n" in out


def test_renamed_page_is_compared_with_what_it_was(write_page: Write, diff: Diff) -> None:
    committed(write_page, name="docs/old.md")
    Path("text").mkdir()
    git("mv", "docs/old.md", "text/new é.md")
    assert diff().startswith("No number and no output changed")
    edit(Path("text/new é.md"), ("0.17<", "0.18<"))
    for path in ("text", "docs/old.md", "text/new é.md"):
        out = diff("HEAD", path)
        assert out.startswith("1 number changed on 1 page")
        assert "## `text/new é.md` (was `docs/old.md`)\n" in out
    commit()
    assert "(was `docs/old.md`)" in diff("HEAD~1")


def test_page_that_was_not_literate_says_so(write_page: Write, diff: Diff) -> None:
    committed(write_page, front="")
    write_page(PAGE)
    out = diff()
    assert out.startswith("4 claims and 1 output added")
    assert "## `page.md` (not literate before)\n" in out
    commit()
    write_page(PAGE, front="")
    assert "## `page.md` (no longer literate)\n" in diff()


def test_line_ends_are_no_change(write_page: Write, diff: Diff) -> None:
    two_lines = PAGE.replace("= weights", "=\n weights").replace("0.212])", "0.212],\n [1.0])")
    path = committed(write_page, two_lines)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert diff().startswith("No number and no output changed")
    commit()
    edit(path, ("0.576<", "0.581<"), ("[1.0]", "[2.0]"))
    out = diff()
    assert "| line 6 | 0.576 | 0.581 | +0.87% | `weights[2, 2]` |" in out
    assert "| line 15 | 1.0 | 2.0 | +100% | `print(weights)` |" in out
    assert "\r" not in out


def test_table_holds_whatever_stands_in_an_expression(write_page: Write, diff: Diff) -> None:
    expression = "len(r'a\\|b|c`d``e') | (1\n * 2_0) or '`'"
    edit(committed(write_page, f"3<!--= {expression} -->\n"), ("3<", "4<"))
    html = MarkdownIt("commonmark").enable("table").render(diff())
    assert html.count("<td") == 5
    assert "<td><code>len(r'a\\|b|c`d``e') | (1 * 2_0) or '`'</code></td>" in html


def test_literal_in_code_and_in_a_formula_stays_as_it_is(write_page: Write, diff: Diff) -> None:
    path = committed(write_page, "`[8, *_]`<!--= a --> and $2.4 \\times 10^{-7}$<!--= b -->\n")
    edit(path, ("[8,", "[9,"), ("2.4", "2.5"))
    out = diff()
    assert "| `[8, *_]` | `[9, *_]` |  | `a` |" in out
    assert r"| `2.4 \times 10^{-7}` | `2.5 \times 10^{-7}` | +4.2% | `b` |" in out


def test_summary_counts_across_pages() -> None:
    old = parse(Source("a.md", FRONT + PAGE))
    new = parse(Source("a.md", FRONT + PAGE.replace("0.17<", "0.18<").replace("576", "577")))
    text = markdown([compare(old, new), compare(old, old), compare(old, new)], "v1")
    assert text.startswith("4 numbers and 2 outputs changed on 2 pages since `v1`.\n")


def test_site_pages_are_taken_from_a_folder_below(
    write_page: Write, diff: Diff, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("mkdocs.yml").write_text("site_name: s\n")
    edit(committed(write_page, name="docs/deep/page.md"), ("0.17<", "0.18<"))
    monkeypatch.chdir("docs/deep")
    assert "## `docs/deep/page.md`\n" in diff()
    assert "## `docs/deep/page.md`\n" in diff("HEAD", "page.md")


def test_nothing_runs_and_nothing_is_written(write_page: Write, diff: Diff) -> None:
    path = committed(write_page, "```python\nopen('trace', 'w')\n```\n")
    index = Path(".git/index").read_bytes()
    os.utime(path, (1, 1))
    diff()
    assert not Path("trace").exists()
    assert Path(".git/index").read_bytes() == index


def test_page_that_was_not_utf_8_is_compared_all_the_same(write_page: Write, diff: Diff) -> None:
    path = write_page(PAGE)
    path.write_bytes(path.read_bytes().replace(b"The weight", b"Th\xe9 weight"))
    commit()
    write_page(PAGE.replace("0.17<", "0.18<"))
    assert diff().startswith("1 number changed on 1 page")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "git knows no commit 'nowhere' in"),
        ([""], "git knows no commit '' in"),
        (["HEAD..HEAD"], "git knows no commit 'HEAD..HEAD' in"),
        (["HEAD:page.md"], "git knows no commit 'HEAD:page.md' in"),
        (["--", "--output=x"], "--output=x is no revision; name a commit, a branch or a tag"),
        (["HEAD", ".."], ".. is not in a git checkout"),
        (["HEAD", ".", ".."], ".. lies outside the git checkout in"),
        (["HEAD", "missing.md"], "missing.md is neither here nor at HEAD; name a page"),
        (["HEAD", "plain.md"], "plain.md does not opt in; add `literate: true`"),
        (["HEAD", "empty"], "no literate page in empty; name a page with"),
    ],
)
def test_usage_error_goes_to_stderr_with_status_2(
    write_page: Write, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    write_page("a", "plain.md", front="")
    Path("empty").mkdir()
    committed(write_page)
    assert main(["diff", *arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert words in streams.err
    assert not Path("x").exists()


def test_folder_without_a_checkout_is_a_usage_error(
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert main(["diff", "HEAD"]) == 2
    assert "is not in a git checkout; run it in one" in capsys.readouterr().err


def test_missing_git_is_a_usage_error(
    write_page: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    committed(write_page)
    monkeypatch.setenv("PATH", "")
    assert main(["diff", "HEAD"]) == 2
    assert "git is not on the path; install git" in capsys.readouterr().err


def test_words_that_look_like_options_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["diff", "--output=x"])
    assert left.value.code == 2
    assert "usage: literate" in capsys.readouterr().err


def test_help_says_that_a_change_is_no_finding(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["diff", "--help"])
    assert left.value.code == 0
    out = capsys.readouterr().out
    assert "literate diff [-h] REV [PATH ...]" in out
    assert "0 whether or not something changed, 2 usage" in out
