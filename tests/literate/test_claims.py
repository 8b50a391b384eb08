"""Claims run for real: values of every make, state that stays, and what is then said."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from literate import pipeline
from literate.errors import ExitStatus, exit_status
from literate.pipeline import Page

Run = Callable[..., Page]

FRONT = "---\nliterate: true\n---\n"


def page_of(code: str, prose: str) -> str:
    return f"```python hide\n{code}\n```\n\n{prose}\n"


def said(page: Page) -> list[str]:
    return [str(finding) for finding in page.findings]


SCALARS = """\
import decimal, fractions, numpy, torch
n, t, b = numpy.float64(0.96), torch.tensor(0.96), torch.tensor(0.5, dtype=torch.bfloat16)
x = torch.zeros(8, 256, 768)
row = torch.tensor([0.21194, 0.21194, 0.57612], requires_grad=True)
"""


def test_value_of_every_make_is_compared(run_page: Run) -> None:
    prose = """\
Numbers: 0.96<!--= n -->, 0.96<!--= t -->, 0.5<!--= b -->, 8<!--= numpy.int64(8) -->,
8<!--= 8.0 -->, 3<!--= torch.tensor(3) -->, 0.25<!--= fractions.Fraction(1, 4) -->,
0.10<!--= decimal.Decimal("0.1") -->,
96%<!--= n -->, 2,304<!--= 3 * 768 -->, 2.4 × 10⁻⁷<!--= 2.384e-7 -->, −0.33<!--= -1 / 3 -->,
0.000<!--= -1e-9 -->, `inf`<!--= float("inf") -->, nan<!--= float("nan") -->, **1.5**<!--= 1.5 -->.

Others: `(8, 256, 768)`<!--= x.shape -->, `torch.Size([8, 256, 768])`<!--= x.shape -->,
`[8, 256, 768]`<!--= list(x.shape) -->, `[0.212, 0.212, 0.576]`<!--= row -->, `True`<!--= 1 < 2 -->,
`'a'`<!--= "a" -->, `a`<!--= "a" -->, **True**<!--= 1 < 2 -->,
`(0.5, [1])`<!--= (t * 0 + 0.5, [1]) -->,
half<!--assert: 0.4 < b < 0.6 -->, 0.1<!--cite: the paper -->, 0.9<!--= n; tol=0.1 -->.

$$ \\frac{1{,}024}{2.0 \\times 10^{-3}} = 512{,}000 $$

<!--above
1{,}024 = 2 ** 10
2.0 \\times 10^{-3} = 0.002
512{,}000 = 2 ** 10 / 0.002
-->
"""
    assert said(run_page(page_of(SCALARS, prose))) == []


@pytest.mark.parametrize(
    ("prose", "column", "words"),
    [
        ("is 0.17<!--= a -->", 4, "0.17 quoted, 0.1812 computed by a; run"),
        (
            "is 8<!--= 7.6 -->",
            4,
            "8 quoted, 7.6 computed by 7.6; change it by hand: 7.6 is not whole",
        ),
        ("is 19%<!--= a -->", 4, "19% quoted, 0.1812 computed by a; run"),
        ("is 0.17<!--= a; tol=0.01 -->", 4, "0.17 quoted, 0.1812 computed by a; run"),
        ("is `[1, 2]`<!--= [1, 3] -->", 5, "[1, 2] quoted, [1, 3] computed by [1, 3]; run"),
        ("is `(1, 3)`<!--= [1, 3] -->", 5, "(1, 3) quoted, [1, 3] computed by [1, 3]; run"),
        ("is True<!--= a > 1 -->", 4, "True quoted, False computed by a > 1; change it by hand"),
        ("is 0.5<!--= [0.5] -->", 4, "0.5 quoted, [0.5] computed"),
        ("is nan<!--= a -->", 4, "nan quoted, 0.1812 computed"),
        ("is small<!--assert: a > 1 -->", 4, "'small' is claimed, and a > 1 is not true; change"),
        ("is 0.1<!--= nosuch -->", 7, "the claim 'nosuch' has no value: NameError: name 'nosuch'"),
        ("is 0.1<!--assert: 1 / 0 -->", 7, "has no value: ZeroDivisionError: division by zero"),
        ("is 0.1<!--= exit() -->", 7, "has no value: SystemExit"),
    ],
)
def test_claim_that_does_not_hold_is_named_with_its_place(
    run_page: Run, prose: str, column: int, words: str
) -> None:
    page = run_page(page_of("a = 0.1812", prose))
    [finding] = page.findings
    assert (finding.where.line, finding.where.column) == (8, column)
    assert words in str(finding)
    assert exit_status(page.findings) is ExitStatus.FINDINGS


LATER = "is 0.5<!--= late -->\n\n"


@pytest.mark.parametrize(
    ("blocks", "line"),
    [
        ("```python\nlate = 0.5;\n```\n", 6),
        ("```python norun\nlate = 1\n```\n\n```python\nlate = 0.5;\n```\n", 10),
        ("```python\ndef f(late): inner = late\n```\n\n```python\nimport math as late\n```\n", 10),
        ("```python\n[late for late in ()];\n```\n\n```python\nclass late: pass\n```\n", 10),
        ('```python source="json.late"\n```\n', 6),
        ("```python norun\nlate = 1\n```\n", None),
        ("```python\nprint(late) if 0 else None\n```\n", None),
    ],
)
def test_claim_above_the_block_that_defines_its_name_says_so(
    run_page: Run, blocks: str, line: int | None
) -> None:
    [message] = [text for text in said(run_page(LATER + blocks)) if text.startswith("page.md:4")]
    hint = f"; `late` is first defined by the block at line {line}, below; mend the expression"
    assert (hint in message) is (line is not None)
    assert ("defined by" in message) is (line is not None)


def test_block_above_the_one_that_defines_its_name_says_so(run_page: Run) -> None:
    page = run_page("```python\nlate + 1\n```\n\n```python\nlate = 1\n```\n")
    [message] = said(page)
    assert "NameError: name 'late' is not defined; `late` is first defined by the block" in message
    assert "block at line 8, below; mend the code" in message
    assert "`late` is first defined by" in pipeline.rendered(page).inserts["output-0"]


def test_name_that_was_taken_away_is_not_said_to_come_later(run_page: Run) -> None:
    code = "```python\nlate = 1\ndel late\n```\n\n"
    page = run_page(code + LATER + "```python\nlate = 1\n```\n")
    assert ["defined by" in text for text in said(page)] == [False]


def test_number_next_to_a_boundary_is_a_warning_only(run_page: Run) -> None:
    page = run_page("is 0.577<!--= 0.57650001 -->\n")
    assert [finding.rule for finding in page.findings] == ["boundary"]
    assert "quote fewer digits" in said(page)[0]
    assert exit_status(page.findings) is ExitStatus.CLEAN


CHANGES = {
    "(a := 2)": "it binds the name 'a', and a claim may only look",
    "(new := 1)": "it binds the name 'new'",
    "globals().pop('a')": "it binds the name 'a'",
    "random.random()": "it moves the random state of random",
    "float(numpy.random.rand())": "it moves the random state of numpy",
    "torch.rand(())": "it moves the random state of torch",
    "t.add_(1).sum()": "it changes a tensor in place",
    "layer.weight.detach().zero_().sum()": "it changes a tensor in place",
    "held['deep'][0].mul_(2).sum()": "it changes a tensor in place",
    "own.random()": "it moves a random generator of the page",
    "rng.random()": "it moves a random generator of the page",
    "torch.rand((), generator=gen)": "it moves a random generator of the page",
    "plt.figure().number": "it opens or closes a figure",
}


def test_claim_that_changes_the_state_is_an_error(run_page: Run) -> None:
    code = (
        "import random, numpy, torch\na = 1\nt = torch.ones(2)\n"
        "layer = torch.nn.Linear(2, 2)\nheld = {'deep': [torch.ones(1)]}\n"
        "import matplotlib.pyplot as plt\nown = random.Random(0)\n"
        "rng, gen = numpy.random.default_rng(0), torch.Generator()"
    )
    prose = "\n".join(f"is 1<!--= {expression} -->" for expression in CHANGES)
    page = run_page(page_of(code, f"{prose}\nis 1<!--= a -->"))
    assert {finding.rule for finding in page.findings} == {"claim-failed"}
    for finding, words in zip(page.findings, CHANGES.values(), strict=True):
        assert words in finding.what


def test_claim_leaves_the_page_as_it_was(run_page: Run) -> None:
    body = (
        "```python hide\nimport random, torch\nrandom.seed(1)\ntorch.manual_seed(1)\na = 5\n```\n\n"
        "{}```python\nprint(a, random.random(), torch.rand(1), '_' in dir(), 'new' in dir())\n```\n"
    )
    claims = (
        "1<!--= (a := 2) -->, 1<!--= (new := random.random()) -->, 1<!--= torch.rand(()) -->\n\n"
    )
    [plain] = [run_page(body.format("")).result.blocks[1].text]
    [claimed] = [run_page(body.format(claims)).result.blocks[1].text]
    assert claimed == plain


def test_claims_are_evaluated_at_their_place(run_page: Run) -> None:
    page = run_page(
        page_of("a = 1", "is 1<!--= a -->")
        + page_of("a = 2", "is 2<!--= a -->")
        + '~~~python caption="3<!--= a -->" alt="b"\n'
        "from IPython.display import HTML\na = 3\nHTML('b')\n~~~\n"
    )
    assert said(page) == []


def test_what_a_claim_prints_is_nobodys(run_page: Run) -> None:
    page = run_page(
        "is 1<!--= print('heard') or 1 -->\n\n```python\nprint(2)\n```\n\n```output\n2\n```\n"
    )
    assert said(page) == []


def test_claim_that_hangs_is_ended_and_named(run_page: Run) -> None:
    body = "is 1<!--= [1 for _ in iter(int, 1)] -->\n"
    page = run_page(body, front="---\nliterate:\n  timeout: 0.5\n---\n")
    [finding] = page.findings
    assert (finding.where.line, finding.rule) == (5, "claim-failed")
    assert "the claim took longer than the 0.5 seconds" in finding.what


def test_claim_that_ends_the_page_says_so(run_page: Run) -> None:
    page = run_page("5<!--= __import__('os')._exit(0) -->\n\n```python\n1 / 0\n```\n")
    [finding] = page.findings
    assert "and what follows on the page did not run" in finding.what
    assert exit_status(page.findings) is ExitStatus.BLOCK_FAILED


@pytest.mark.parametrize(
    ("code", "expression", "words"),
    [
        ("", "__import__('decimal').Decimal('1e100000')", "is not a number"),
        ("", "'x' * 12_000", "more than 10,000 characters"),
        ("class E(Exception):\n    def __str__(self): 1 / 0\ndef f(): raise E", "f()", "E"),
        ("import sys; sys.modules['numpy'] = None", "nosuch", "NameError"),
    ],
)
def test_odd_value_is_a_failed_claim_and_not_a_fault(
    run_page: Run, code: str, expression: str, words: str
) -> None:
    page = run_page(page_of(code, f"is 1.5<!--= {expression} -->"))
    [finding] = page.findings
    assert finding.rule == "claim-failed"
    assert words in finding.what


@pytest.mark.parametrize("value", ["'a`b'", "'a\\n\\n# b'", "'a -->'", "'a | b'"])
def test_value_that_no_code_span_can_hold_is_left_to_a_person(run_page: Run, value: str) -> None:
    page = run_page(page_of(f"v = {value}", "`abc`<!--= v -->"))
    assert pipeline.repair(page)[1] == ()
    assert "change it by hand" in said(page)[0]


def test_claims_behind_a_failed_block_say_nothing(run_page: Run) -> None:
    page = run_page("```python\n1 / 0\n```\n\nis 1<!--= 2 -->\n")
    assert [finding.rule for finding in page.findings] == ["block-failed"]


# Written anew --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("is 0.17<!--= 0.1812 --> here", "is 0.18<!--= 0.1812 --> here"),
        ("93%<!--= 0.5 -->", "50%<!--= 0.5 -->"),
        ("2,304<!--= 1234567 -->", "1,234,567<!--= 1234567 -->"),
        ("a 2.4 × 10⁻⁷<!--= 1.64e-8 -->", "a 1.6 × 10⁻⁸<!--= 1.64e-8 -->"),
        ("−0.33<!--= -2 / 3 -->", "−0.67<!--= -2 / 3 -->"),
        ("**0.5**<!--= 0.25 -->", "**0.2**<!--= 0.25 -->"),
        ("`[0.21, 5]`<!--= [0.333333, 5] -->", "`[0.33, 5]`<!--= [0.333333, 5] -->"),
        ("`(1, 2)`<!--= (1, 2, 3) -->", "`(1, 2, 3)`<!--= (1, 2, 3) -->"),
        ("`cpu`<!--= 'cuda' -->", "`cuda`<!--= 'cuda' -->"),
        ("`'cpu'`<!--= 'cuda' -->", "`'cuda'`<!--= 'cuda' -->"),
        ("$e = 2.7$<!--= 3.14159 -->", "$e = 3.1$<!--= 3.14159 -->"),
        (
            "$$ 0.2 + 0.2 $$\n\n<!--above\n0.2 = 0.2\n0.2 = 0.31\n-->",
            "$$ 0.2 + 0.3 $$\n\n<!--above\n0.2 = 0.2\n0.3 = 0.31\n-->",
        ),
        ("| a |\n|---|\n| 1.0<!--= 2 --> |", "| a |\n|---|\n| 2.0<!--= 2 --> |"),
        ("half<!--assert: 1 > 2 -->", "half<!--assert: 1 > 2 -->"),
        ("0.576<!--= 0.57643 -->", "0.576<!--= 0.57643 -->"),
    ],
)
def test_sync_changes_only_the_digits(run_page: Run, before: str, after: str) -> None:
    text, changes = pipeline.repair(run_page(before))
    assert text == FRONT + after
    assert all("→" in change.what for change in changes)
    again, none = pipeline.repair(run_page(after))
    assert (again, none) == (text, ())
