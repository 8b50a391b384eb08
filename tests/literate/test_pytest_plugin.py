"""Literate pages as tests: what pytest collects, what runs, what failures say."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]
FRONT = "---\nliterate: true\n---\n"

NOTE_RUN = 'from pathlib import Path\nPath("runs").open("a").write("x");\n'
"""Code that leaves a mark in the site's folder each time that it runs."""

PAGE = f"""{FRONT}
```python
{NOTE_RUN}weights = [0.25, 0.75]
print(sum(weights))
```

```output
1.0
```

The second is 0.75<!--= weights[1] -->, the first
a quarter<!--assert: weights[0] == 0.25 -->; Ana says 0.5<!--cite: Ana -->.

```python norun
raise SystemExit
```
"""

NAMES = [
    "line 5: block, from pathlib import Path",
    "line 12: output",
    "line 16: 0.75 = weights[1]",
    "line 17: assert weights[0] == 0.25",
]

Run = Callable[..., pytest.RunResult]
Write = Callable[..., Path]


@pytest.fixture
def write(pytester: pytest.Pytester) -> Write:
    """Write a page below the folder that pytest runs in."""

    def write(text: str | bytes, name: str = "page.md") -> Path:
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run pytest with this plugin and no other that happens to be installed."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*arguments: str, apart: bool = False) -> pytest.RunResult:
        start = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        return start("-p", "literate.pytest_plugin", *arguments)

    return run


@pytest.fixture
def names(run: Run) -> Callable[..., list[str]]:
    """The names of the tests that pytest collects."""

    def names(*arguments: str) -> list[str]:
        result = run("--collect-only", "-q", *arguments)
        return [line for line in result.outlines if "::" in line]

    return names


def fenced(code: str, opening: str = "python") -> str:
    return f"```{opening}\n{code}\n```\n\n"


# What is collected --------------------------------------------------------------------


def test_each_part_is_a_test_named_after_its_line(
    write: Write, names: Callable[..., list[str]]
) -> None:
    write(PAGE, "docs/page.md")
    assert names() == [f"docs/page.md::{name}" for name in NAMES]


def test_block_that_shows_a_source_is_named_after_it(
    write: Write, names: Callable[..., list[str]]
) -> None:
    write(FRONT + fenced("class Path: ...", 'python source="pathlib.Path"') + fenced(""))
    assert names() == ["page.md::line 4: block, source=pathlib.Path", "page.md::line 8: block"]


def test_each_name_is_its_own_and_chooses_its_test(
    write: Write, names: Callable[..., list[str]]
) -> None:
    tricky = [
        '1<!--= len("a::b".split("::")[::2]) -->',
        '1<!--= len("a::b".split("::")[::2]) -->',
        "3<!--= [1, 2, 3][\n-1] -->",
        "`[1, 2]`<!--= [1, 2] -->",
        "−2<!--= -2 --> und 1 × 10⁻⁷<!--= 1e-7 -->",
        "~~50%~~<!--assert: 'ü/\\\\' -->",
        f"2.0<!--= {'1 + ' * 60}1 -->, 2.0<!--= {'1 + ' * 60}2 -->",
        "a<!--= nearly --> 1 <!--= 2 -->",
    ]
    write(FRONT + " ".join(tricky) + "\n", "über uns/seite.md")
    found = names()
    assert len(found) == len(set(found)) == 11
    assert [names(name) for name in found] == [[name] for name in found]


def test_collecting_runs_nothing(
    write: Write, names: Callable[..., list[str]], pytester: pytest.Pytester
) -> None:
    write(PAGE)
    assert names()
    assert not (pytester.path / "runs").exists()


@pytest.mark.parametrize(
    "text",
    [
        "# A page\n",
        "",
        "---\ntitle: literate\n---\n\n```python\n1 / 0\n```\n",
        "---\nliterate: false\n---\n\n```python\n1 / 0\n```\n",
        "---\ntitle: a page\n---\n\nliterate: true\n\n```python\n1 / 0\n```\n",
        "----\nliterate: true\n---\n",
        b"\xff\xfe-\x00-\x00-\x00",
        b"---\ntitle: \xe4\n---\n",
    ],
)
def test_page_that_does_not_opt_in_is_not_collected(
    write: Write, run: Run, text: str | bytes
) -> None:
    write(text)
    result = run()
    result.assert_outcomes()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_page_with_a_byte_order_mark_is_collected(
    write: Write, names: Callable[..., list[str]]
) -> None:
    write("\ufeff" + PAGE.replace("\n", "\r\n"))
    assert len(names()) == 4


def test_page_that_is_not_utf8_fails_at_its_line(write: Write, run: Run) -> None:
    write(FRONT.encode() + b"\nna\xefve\n")
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ page.md, line 5: unreadable _*",
            "page.md:5:3: this is not UTF-8: byte 0xef; save the file as UTF-8",
        ]
    )


def test_what_shows_without_a_run_fails_at_its_line_and_runs_nothing(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    write(f"{PAGE}\nNearly 3 <!--= 1 + 2 -->.\n\n - ```python\n   1\n   ```\n")
    result = run("-k", "malformed or misplaced")
    result.assert_outcomes(failed=2, deselected=4)
    result.stdout.fnmatch_lines(
        [
            "*_ page.md, line 23: malformed-claim _*",
            "page.md:23:10: nothing touches this claim from the left; put *",
            "*_ page.md, line 25: misplaced-fence _*",
        ]
    )
    assert not (pytester.path / "runs").exists()
    run().assert_outcomes(failed=2, passed=4)


def test_settings_that_cannot_be_read_are_an_error_without_a_traceback(
    write: Write, run: Run
) -> None:
    write("plugins:\n  - literate:\n      colour: red\n", "mkdocs.yml")
    write(PAGE, "docs/page.md")
    result = run()
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*mkdocs.yml: literate has no setting 'colour'; use one of *"])
    result.stdout.no_fnmatch_line("*Traceback*")
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")


# What runs ----------------------------------------------------------------------------


def test_page_runs_once_for_all_its_tests(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    write(PAGE, "docs/page.md")
    run("docs").assert_outcomes(passed=4)
    assert (pytester.path / "runs").read_text() == "x"


def test_page_runs_in_the_folder_of_its_own_site(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    write("", "manual/mkdocs.yml")
    write(PAGE, "manual/docs/page.md")
    run().assert_outcomes(passed=4)
    assert (pytester.path / "manual" / "runs").read_text() == "x"


@pytest.mark.parametrize("name", NAMES)
def test_one_test_is_chosen_by_its_node_id(
    write: Write, run: Run, pytester: pytest.Pytester, name: str
) -> None:
    write(PAGE)
    run(f"page.md::{name}").assert_outcomes(passed=1)
    assert (pytester.path / "runs").read_text() == "x"


def test_tests_are_chosen_by_keyword(write: Write, run: Run) -> None:
    write(PAGE)
    run("-k", "output or 0.75").assert_outcomes(passed=2, deselected=2)


def test_page_without_a_chosen_test_does_not_run(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    write(PAGE.replace('"runs"', '"first"'), "first.md")
    write(PAGE.replace('"runs"', '"second"').replace("0.75", "0.750"), "second.md")
    run("-k", "0.750").assert_outcomes(passed=1, deselected=7)
    assert not (pytester.path / "first").exists()
    assert (pytester.path / "second").read_text() == "x"


def test_last_failed_runs_what_failed_and_no_other_page(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    write(PAGE.replace('"runs"', '"first"'), "first.md")
    write(PAGE.replace("is 0.75", "is 0.85"), "second.md")
    run().assert_outcomes(passed=7, failed=1)
    result = run("--lf")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*_ second.md, line 16: 0.85 = weights[[]1[]] _*"])
    assert (pytester.path / "first").read_text() == "x"
    assert (pytester.path / "runs").read_text() == "xx"


def test_workers_agree_on_names_and_each_page_runs_in_one_of_them(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    for name in ("first", "second", "third"):
        write(PAGE.replace('"runs"', f'"{name}"'), f"{name}.md")
    write(FRONT + "0.2<!--= 1 / 4 -->, but 7 is 7 of 7<!--= 1 + 7 -->\n", "untrue.md")
    result = run("-p", "xdist", "-n", "2", "--dist", "loadfile", apart=True)
    result.assert_outcomes(passed=13, failed=1, warnings=1)
    result.stdout.fnmatch_lines(
        [
            'untrue.md:4:35: 7 quoted, 8 computed by 1 + 7; run "literate sync untrue.md"',
            "*untrue.md:4: PageWarning: boundary: 0.2 quoted, 0.25 computed; quote fewer digits",
            "FAILED untrue.md::line 4: 7 = 1 + 7*",
        ]
    )
    for name in ("first", "second", "third"):
        assert (pytester.path / name).read_text() == "x"


def test_examples_in_docstrings_run_beside_pages(write: Write, run: Run) -> None:
    write(PAGE)
    write('"""\n>>> 1 + 1\n2\n"""\n', "module.py")
    write("def test_it():\n    pass\n", "test_it.py")
    run("--doctest-modules").assert_outcomes(passed=6)


def test_page_that_may_not_run_is_skipped(write: Write, run: Run) -> None:
    write(PAGE.replace("true", "{execute: false}", 1))
    result = run("-rs")
    result.assert_outcomes(skipped=4)
    result.stdout.fnmatch_lines(["SKIPPED*page.md:5: the settings keep this page from running*"])


# What failures say --------------------------------------------------------------------

UNTRUE = (
    FRONT
    + fenced("ratio = 0.1812\nprint(ratio, 1)")
    + fenced("0.18 2", "output")
    + fenced("ratio")
    + "Here 0.17<!--= ratio --> is quoted, more<!--assert: ratio > 1 --> than\n"
    + "0.5<!--= ratios --> and `a`<!--= 'b' -->.\n"
)


def test_failure_shows_literal_value_expression_place_and_command(write: Write, run: Run) -> None:
    write(UNTRUE, "docs/page.md")
    result = run()
    result.assert_outcomes(passed=1, failed=6)
    result.stdout.fnmatch_lines(
        [
            "*_ page.md, line 9: output _*",
            "docs/page.md:9:1: 2 shown, 1 computed (line 1 of the output); run"
            ' "literate sync docs/page.md"',
            "    --- shown",
            "*_ page.md, line 13: block, ratio _*",
            "docs/page.md:13:1: this block prints '0.1812' and no output block shows it; run *",
            "*_ page.md, line 17: 0.17 = ratio _*",
            "docs/page.md:17:6: 0.17 quoted, 0.1812 computed by ratio; run"
            ' "literate sync docs/page.md"',
            "*_ page.md, line 17: assert ratio > 1 _*",
            "docs/page.md:17:37: 'more' is claimed, and ratio > 1 is not true; change *",
            "*_ page.md, line 18: 0.5 = ratios _*",
            "docs/page.md:18:4: the claim 'ratios' has no value: *NameError*; mend *",
            "*_ page.md, line 18: a = 'b' _*",
        ],
        consecutive=False,
    )
    result.stdout.fnmatch_lines(
        ["FAILED docs/page.md::line 17: 0.17 = ratio - 0.17 quoted, 0.1812 computed*"]
    )


def test_failure_shows_nothing_of_the_plugin(write: Write, run: Run) -> None:
    write(UNTRUE + fenced("1 / 0"))
    result = run()
    result.stdout.no_fnmatch_line("*pytest_plugin*")
    result.stdout.no_fnmatch_line("*UntrueError*")


def test_block_that_fails_shows_its_traceback(write: Write, run: Run) -> None:
    write(FRONT + "\n" + fenced("def inverse(x):\n    return 1 / x\n\ninverse(0)"))
    result = run()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ page.md, line 5: block, def inverse(x): _*",
            "page.md:9:1: *ZeroDivisionError: division by zero*",
            '*"*page.md", line 7, in inverse',
        ]
    )


STOPPED = FRONT + fenced("a = 1\nraise OSError('gone')") + fenced("1", "output") + "1<!--= a -->\n"


def test_what_stands_behind_a_block_that_failed_is_skipped(write: Write, run: Run) -> None:
    write(STOPPED + "\n" + fenced("a + 1") + fenced("2", "output"))
    result = run("-rs")
    result.assert_outcomes(failed=1, skipped=4)
    because = "not run, because the block on line 4 failed"
    result.stdout.fnmatch_lines(
        [f"SKIPPED*page.md:{line}: {because}" for line in (9, 13, 15, 19)], consecutive=False
    )


def test_what_stands_behind_a_block_that_failed_fails_when_chosen_alone(
    write: Write, run: Run
) -> None:
    write(STOPPED)
    result = run("-k", "line")
    result.assert_outcomes(failed=1, skipped=2)
    result = run("page.md::line 13: 1 = a")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "page.md:13:1: not run, because the block on line 4 failed",
            "page.md:6:1: *OSError: gone*",
        ]
    )


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process as POSIX systems do")
def test_what_stands_behind_a_claim_that_ended_the_page_is_skipped(write: Write, run: Run) -> None:
    write(FRONT + fenced("import os") + "1<!--= os._exit(1) --> 2<!--= 2 -->\n\n" + fenced("1;"))
    result = run("-rs")
    result.assert_outcomes(passed=1, failed=1, skipped=2)
    result.stdout.fnmatch_lines(["SKIPPED*page.md:10: not run, because the claim on line 8 failed"])
    run("-k", "2").assert_outcomes(failed=1, deselected=3)


def test_what_needs_a_missing_resource_is_skipped_and_says_how_to_get_it(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    write(
        "plugins:\n  - literate:\n      resources:\n"
        '        gpt2: {path: weights.bin, how: "run get.py"}\n',
        "mkdocs.yml",
    )
    write(
        FRONT
        + fenced(f"{NOTE_RUN}open('weights.bin').read()", 'python needs="gpt2"')
        + fenced("''", "output")
        + "1<!--= 1; needs=gpt2 -->\n",
        "docs/page.md",
    )
    result = run("-rs")
    result.assert_outcomes(skipped=3)
    result.stdout.fnmatch_lines(["SKIPPED*docs/page.md:4: needs gpt2: run get.py"])
    assert not (pytester.path / "runs").exists()
    write("", "weights.bin")
    run().assert_outcomes(passed=3)


def test_number_at_a_rounding_boundary_passes_with_a_warning(write: Write, run: Run) -> None:
    write(FRONT + fenced("0.25") + fenced("0.2", "output") + "0.3<!--= 0.25 -->\n")
    result = run("-W", "error")
    result.assert_outcomes(passed=3, warnings=2)
    result.stdout.fnmatch_lines(
        [
            "page.md::line 12: 0.3 = 0.25",
            "*page.md:12: PageWarning: boundary: 0.3 quoted, 0.25 computed; quote fewer digits",
        ]
    )


def test_editors_are_led_to_the_line(
    write: Write, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    write(PAGE)
    items, _ = pytester.inline_genitems("-p", "literate.pytest_plugin")
    assert [item.location[:2] for item in items] == [("page.md", n) for n in (4, 11, 15, 16)]


# What it costs those who have no pages ------------------------------------------------


def test_import_brings_nothing_of_the_rest_of_the_package(pytester: pytest.Pytester) -> None:
    code = (
        "import json, sys, pytest\n"
        "before = set(sys.modules)\n"
        "import literate.pytest_plugin\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    result = pytester.run(sys.executable, "-c", code)
    assert json.loads(result.outlines[0]) == ["literate", "literate.pytest_plugin"]


def test_run_without_pages_imports_nothing_of_the_rest_of_the_package(
    write: Write, run: Run, pytester: pytest.Pytester
) -> None:
    write("# A page\n")
    write("---\ntitle: another\n---\n", "another.md")
    pytester.makepyfile(
        test_it="import sys\ndef test_it():\n    assert 'literate.pipeline' not in sys.modules\n"
    )
    run(apart=True).assert_outcomes(passed=1)


def test_project_offers_the_plugin_which_a_run_can_refuse(
    write: Write, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module = project["entry-points"]["pytest11"]["literate"]
    # As it is when the project is installed, whether or not this one is up to date.
    offer = pytester.mkdir("site") / "offer-1.0.dist-info"
    offer.mkdir()
    (offer / "METADATA").write_text("Metadata-Version: 2.1\nName: offer\nVersion: 1.0\n")
    (offer / "entry_points.txt").write_text(f"[pytest11]\nliterate = {module}\n")
    monkeypatch.setenv("PYTHONPATH", str(offer.parent))
    write(PAGE)
    pytester.runpytest_subprocess().assert_outcomes(passed=4)
    refused = pytester.runpytest_subprocess("-p", "no:literate")
    assert refused.ret == pytest.ExitCode.NO_TESTS_COLLECTED
