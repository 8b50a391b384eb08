"""Pages run for real: what blocks put out, how they fail, and what is then said."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from literate.errors import ExitStatus, exit_status
from literate.pipeline import Page

Run = Callable[..., Page]


def outputs(page: Page) -> list[str]:
    return [block.text for block in page.result.blocks.values()]


def said(page: Page) -> list[str]:
    return [str(finding) for finding in page.findings]


def block(*lines: str, opening: str = "python") -> str:
    return f"```{opening}\n" + "\n".join(lines) + "\n```\n\n"


# What arrives -------------------------------------------------------------------------


def test_everything_printed_arrives_in_order(run_page: Run) -> None:
    page = run_page(
        block(
            "import ctypes, os, subprocess, sys",
            'print("python", "sep", sep="|")',
            'sys.stdout.write("write\\n")',
            'os.write(1, b"descriptor\\n")',
            'subprocess.run([sys.executable, "-c", "print(\'child\')"])',
            'print("no line end", end="")',
            "[1, 2]",
        )
        + block('"again"')
        + block("1;")
        + block("None")
        + block('print("\\r1/2\\r2/2\\x1b[31mred\\x1b[0m\\x02")')
        + block('display("shown"); print("after")')
    )
    assert outputs(page) == [
        "python|sep\nwrite\ndescriptor\nchild\nno line end\n[1, 2]",
        "'again'",
        "",
        "",
        "2/2red␂",
        "'shown'\nafter",
    ]


@pytest.mark.skipif(os.name == "nt", reason="needs the C library of a POSIX system")
def test_what_c_code_prints_arrives(run_page: Run) -> None:
    page = run_page(block("import ctypes", 'ctypes.CDLL(None).puts(b"from C");'))
    assert outputs(page) == ["from C"]


def test_stderr_stays_off_the_page(run_page: Run, capfd: pytest.CaptureFixture[str]) -> None:
    page = run_page(block("import sys", 'print("aside", file=sys.stderr)'))
    assert outputs(page) == [""]
    assert "aside" in capfd.readouterr().err


def test_blocks_of_a_page_share_names_and_pages_do_not(run_page: Run) -> None:
    first = run_page(block("a = 1") + block("a + 1"))
    assert outputs(first) == ["", "2"]
    second = run_page(block("a", opening='python raises="NameError"'))
    assert outputs(second) == ["NameError: name 'a' is not defined"]


def test_environment_is_pinned(run_page: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    page = run_page(
        block(
            "import os, shutil, sys, time",
            "print(shutil.get_terminal_size().columns, os.environ['OMP_NUM_THREADS'])",
            "print(hash('a') == hash('a'), time.tzname[0], sys.stdout.encoding)",
        )
    )
    assert outputs(page) == ["80 1\nTrue UTC utf-8"]


def test_top_level_await_works_as_in_a_notebook(run_page: Run) -> None:
    page = run_page(block("import asyncio", "await asyncio.sleep(0, 'slept')"))
    assert outputs(page) == ["'slept'"]


def test_norun_block_does_not_run(run_page: Run) -> None:
    page = run_page(block("raise RuntimeError", opening="python norun"))
    assert page.blocks_run == 0
    assert said(page) == []


def test_source_of_function_defined_on_the_page_can_be_read(run_page: Run) -> None:
    page = run_page(
        block("import inspect", "def f():", "    return 1") + block("print(inspect.getsource(f))")
    )
    assert outputs(page)[1] == "def f():\n    return 1"


def test_tensors_print_the_same_at_every_terminal_width(
    run_page: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = block("import torch", "torch.arange(40).reshape(1, 40)")
    monkeypatch.setenv("COLUMNS", "40")
    [narrow] = outputs(run_page(body))
    monkeypatch.setenv("COLUMNS", "200")
    [wide] = outputs(run_page(body))
    assert narrow == wide
    assert max(map(len, wide.splitlines())) <= 80


def test_worker_processes_of_a_loader_do_not_hang_the_page(run_page: Run) -> None:
    page = run_page(
        block(
            "import torch",
            "data = torch.utils.data.TensorDataset(torch.arange(8))",
            "loader = torch.utils.data.DataLoader(data, batch_size=2, num_workers=2)",
            "print(sum(int(batch[0].sum()) for batch in loader))",
        )
    )
    assert outputs(page) == ["28"]


def test_last_value_is_called_underscore_unless_the_page_uses_that_name(run_page: Run) -> None:
    page = run_page(block("1 + 1") + block("_ + 1") + block("_ = 'mine'") + block("5") + block("_"))
    assert outputs(page) == ["2", "3", "", "5", "'mine'"]


def test_first_line_of_most_notebooks_does_no_harm(run_page: Run) -> None:
    assert outputs(run_page(block("%matplotlib inline", "1"))) == ["1"]


def test_value_is_asked_once_for_its_text(run_page: Run) -> None:
    counting = block(
        "class Counting:",
        "    asked = 0",
        "    def __repr__(self):",
        "        Counting.asked += 1",
        "        return f'asked {Counting.asked}'",
        "Counting()",
    )
    page = run_page(counting + block("display(Counting())") + block("Counting.asked"))
    assert outputs(page) == ["asked 1", "asked 2", "2"]


def test_value_that_shows_itself_is_shown_once(run_page: Run) -> None:
    page = run_page(
        block("class Own:", "    def _ipython_display_(self): print('x')", "Own()")
        + block("class Bare:", "    def __repr__(self): return 'ab\\x1b[31mc\\ud800'", "Bare()")
    )
    assert outputs(page) == ["x", "abc?"]


# How a block fails --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opening", "lines", "line", "words"),
    [
        ("python", ["x = {}", 'x["k"]'], 6, "the block raised KeyError: 'k'"),
        ("python", ["x = 1", "x ="], 6, "the block raised SyntaxError: invalid syntax"),
        ("python", ["raise SystemExit(3)"], 5, "the block left with SystemExit: 3"),
        ("python", ["exit()"], 5, "the block left with SystemExit"),
        ("python", ['input("name? ")'], 5, "a block cannot ask for input"),
        ("python", ["import os", "os._exit(7)"], 4, "ended its process with status 7"),
        ("python", ["raise KeyboardInterrupt"], 5, "the block raised KeyboardInterrupt"),
        ('python raises="KeyError"', ["1"], 4, "KeyError was promised and nothing was raised"),
        (
            'python raises="LookupError"',
            ["{}[0]"],
            5,
            "LookupError was promised, but the block raised KeyError: 0",
        ),
        ('python source="no.such.thing"', [""], 4, "source='no.such.thing' cannot be shown"),
        ('python source="json.nothing"', [""], 4, "'json' has no 'nothing'"),
        ("python", ["class R:", "    def __repr__(self): 1 / 0", "R()"], 7, "ZeroDivisionError"),
        ("python", ["class R:", "    def __repr__(self): return 5", "R()"], 7, "TypeError"),
        ("python", ["def f():", "    1 / 0", "f()"], 7, "ZeroDivisionError: division by zero"),
        (
            "python",
            ["class E(Exception):", "    def __str__(self): 1 / 0", "raise E"],
            7,
            "raised E",
        ),
    ],
)
def test_failure_is_named_with_its_place(
    run_page: Run, opening: str, lines: list[str], line: int, words: str
) -> None:
    page = run_page(block(*lines, opening=opening) + block("print('never')"))
    assert page.blocks_run == 1
    [finding] = page.findings
    assert finding.where.line == line
    assert words in finding.what
    assert exit_status(page.findings) is ExitStatus.BLOCK_FAILED


@pytest.mark.parametrize(
    ("code", "prefix", "place", "mark"),
    [
        ("total = (1 +\nprint(total)", "", "4:9", "total = (1 +\n            ^"),
        ("y = 1\nx = = 1", "", "5:5", "x = = 1\n        ^"),
        ("x = = 1", "> ", "4:7", "x = = 1\n        ^"),
        ("x = = 1", "    ", "4:9", "x = = 1\n        ^"),
        ("if True:\nx = 1", "", "5:1", "x = 1\n    ^"),
        ("y = 1\nreturn 1", "", "5:1", "return 1\n    ^"),
    ],
)
def test_code_that_is_no_python_is_shown_with_a_mark_at_its_place(
    run_page: Run, code: str, prefix: str, place: str, mark: str
) -> None:
    above = "!!! note\n\n" if prefix == "    " else "\n\n"
    lines = "".join(f"{prefix}{line}\n" for line in f"```python\n{code}\n```".split("\n"))
    page = run_page(above + lines, front="---\nliterate: true\n---\n")
    [finding] = page.findings
    line, column = map(int, place.split(":"))
    assert (finding.where.line, finding.where.column) == (line + 3, column)
    assert f'File "page.md", line {finding.where.line}' in finding.detail
    assert mark in finding.detail
    assert "Traceback" not in finding.detail


@pytest.mark.parametrize(
    ("code", "column"),
    [("y = 1 + {}['k']", 9), ("y = 'größer' + {}['k']", 16), ("raise KeyError", 1)],
)
def test_failure_is_named_with_its_column(run_page: Run, code: str, column: int) -> None:
    page = run_page(f"> ```python\n> {code}\n> ```\n")
    assert said(page)[0].startswith(f"page.md:5:{column + 2}: the block raised KeyError")


@pytest.mark.skipif(os.name == "nt", reason="needs signals of a POSIX system")
def test_killed_process_is_named_with_its_signal(run_page: Run) -> None:
    page = run_page(block("import os, signal", "os.kill(os.getpid(), signal.SIGKILL)"))
    assert "killed by SIGKILL" in said(page)[0]


def test_block_that_hangs_is_ended_and_keeps_what_it_printed(run_page: Run) -> None:
    page = run_page(
        block("print('before')", "while True: pass", opening="python timeout=1"),
    )
    [finding] = page.findings
    assert finding.where.line == 4
    assert "longer than the 1 seconds" in finding.what
    assert outputs(page) == ["before"]


@pytest.mark.skipif(os.name == "nt", reason="asks for a process by its number")
def test_processes_of_a_block_end_with_its_page(run_page: Run, ends: Callable[[int], bool]) -> None:
    page = run_page(
        block(
            "import subprocess",
            "child = subprocess.Popen(['sleep', '600'])",
            "print(child.pid)",
            "while True: pass",
            opening="python timeout=1",
        )
    )
    assert ends(int(outputs(page)[0]))


def test_block_that_forks_counts_once(run_page: Run) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this system cannot fork")
    page = run_page(
        block("import os", "child = os.fork()") + block("print('once')", "if child: os.wait();")
    )
    assert outputs(page)[1] == "once"
    assert said(page)[:1] == [
        "page.md:9:1: this block prints 'once' and no output block shows it; run \"literate sync\""
    ]


def test_block_that_breaks_stdout_does_not_silence_the_next(run_page: Run) -> None:
    page = run_page(
        block("import io, sys", "sys.stdout = io.StringIO()", "print('lost')")
        + block("print('heard')")
    )
    assert outputs(page) == ["", "heard"]


# What is compared ---------------------------------------------------------------------


def with_output(code: str, output: str) -> str:
    return f"```python\n{code}\n```\n\n```output\n{output}\n```\n"


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("print(0.5764)", "0.5764"),
        ("print(0.5764)", "0.576"),
        ("print('a   b')", "a b"),
        ("print('a  ')", "a"),
        ("print('a\\n\\n')", "a"),
        ("print(-0.0001)", "-0.000"),
        ("print('é −')", "é −"),
    ],
)
def test_output_that_is_true_passes(run_page: Run, code: str, output: str) -> None:
    assert said(run_page(with_output(code, output))) == []


@pytest.mark.parametrize(
    ("code", "output", "words"),
    [
        ("print(0.5764)", "0.577", "0.577 shown, 0.5764 computed (line 1 of the output)"),
        ("print('a\\nb 2')", "a\nb 3", "3 shown, 2 computed (line 2 of the output)"),
        ("print(2)", "", "nothing shown, 2 computed"),
        ("1;", "2", "2 shown, nothing computed"),
    ],
)
def test_output_that_is_stale_is_named_by_its_opening_fence(
    run_page: Run, code: str, output: str, words: str
) -> None:
    [finding] = run_page(with_output(code, output)).findings
    assert (finding.where.line, finding.rule) == (8, "stale-output")
    assert words in finding.what
    assert finding.todo == 'run "literate sync"'


def test_output_next_to_a_boundary_is_a_warning_only(run_page: Run) -> None:
    page = run_page(with_output("print(0.57650001)", "0.577"))
    [finding] = page.findings
    assert finding.rule == "boundary"
    assert exit_status(page.findings) is ExitStatus.CLEAN


def test_both_of_two_equal_outputs_are_reported(run_page: Run) -> None:
    page = run_page(with_output("print(2)", "1") + "\n" + with_output("print(2)", "1"))
    assert [finding.where.line for finding in page.findings] == [8, 16]


@pytest.mark.parametrize("flag", ["norun", "hide", "volatile"])
def test_output_that_nothing_checks_is_a_finding(run_page: Run, flag: str) -> None:
    page = run_page(f"```python {flag}\nprint(1)\n```\n\n```output\n1\n```\n")
    assert [finding.rule for finding in page.findings] == ["unchecked-output"]


def test_raised_exception_may_stand_in_an_output_block(run_page: Run) -> None:
    body = '```python raises="ValueError"\nint("a 1")\n```\n\n```output\nValueError: {}\n```\n'
    true = "invalid literal for int() with base 10: 'a 1'"
    assert said(run_page(body.format(true))) == []
    assert [f.rule for f in run_page(body.format(true.replace("10", "11"))).findings] == [
        "stale-output"
    ]


def test_exception_is_promised_by_its_name_or_its_full_name(run_page: Run) -> None:
    page = run_page(
        block("import json", 'json.loads("")', opening='python raises="JSONDecodeError"')
        + block('json.loads("")', opening='python raises="json.decoder.JSONDecodeError"')
    )
    assert said(page) == []


def test_page_that_sets_execute_false_runs_nothing(run_page: Run) -> None:
    page = run_page(with_output("print(2)", "1"), front="---\nliterate:\n  execute: false\n---\n")
    assert page.blocks_run == 0
    assert said(page) == []


def test_listing_is_held_against_its_source(run_page: Run, tmp_path: Path) -> None:
    (tmp_path / "shown.py").write_text(
        'def f(x):\n    """First line.\n\n    More.\n    """\n    return x\n\nVALUE = f(1)\n'
    )
    listing = 'def f(x):\n    """First line."""\n    return {}\n'
    body = '```python source="shown.f"\n{}```\n\n```python\nf(7)\n```\n\n```output\n7\n```\n'
    assert said(run_page(body.format(listing.format("x")))) == []
    [finding] = run_page(body.format(listing.format("y"))).findings
    assert (finding.rule, finding.where.line) == ("stale-listing", 7)
    assert "'return y' shown, 'return x' in the source of shown.f" in finding.what
