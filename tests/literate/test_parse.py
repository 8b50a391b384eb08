"""The parser: what is a block, what is not, and that no text is ever lost."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from literate.document import ClaimComment, CodeBlock, Document, Formula, OutputBlock
from literate.parse import parse
from literate.source import Source

FRONT = "---\nliterate: true\n---\n"


def read(body: str, front: str = FRONT) -> Document:
    document = parse(Source("page.md", front + body))
    joined = "".join(document.source.slice(node.span) for node in document.nodes)
    assert joined == document.source.text
    return document


def codes(body: str) -> list[str]:
    return [block.code for block in read(body).blocks]


def rules(body: str) -> list[tuple[int, str]]:
    """Line and rule of each finding, lines counted within the body."""
    return [(found.where.line - 3, found.rule) for found in read(body).findings]


# What runs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "opening",
    [
        "python",
        "py",
        "python3",
        "Python",
        "{ .python }",
        "{.py}",
        '{ .python title="a" }',
        " python",
    ],
)
def test_fence_of_python_is_a_block(opening: str) -> None:
    assert codes(f"```{opening}\nx\n```\n") == ["x"]


@pytest.mark.parametrize("opening", ["text", "pycon", "", "json", "python-repl", "pytb"])
def test_fence_of_another_language_is_none(opening: str) -> None:
    document = read(f"```{opening}\nx\n```\n")
    assert not document.blocks
    assert not document.findings


@pytest.mark.parametrize(
    "opening",
    ["{python}", "python:a.py", "python3.11", "{code-cell} python", "python{hide}", "py,"],
)
def test_fence_that_looks_as_if_it_ran_is_a_finding(opening: str) -> None:
    document = read(f"```{opening}\nx\n```\n")
    if document.blocks:
        pytest.fail("it runs")
    assert [found.rule for found in document.findings] == ["not-executable"]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("list", "- a\n\n    ```python\n    x\n      y\n    ```\n"),
        ("tight list", "- a\n    ```python\n    x\n      y\n    ```\n"),
        ("numbered list", "1. a\n\n    ```python\n    x\n      y\n    ```\n"),
        ("nested list", "- a\n    - b\n\n        ```python\n        x\n          y\n        ```\n"),
        ("lazy list", "- a\ngoes on\n\n    ```python\n    x\n      y\n    ```\n"),
        ("tab character", "- a\n\n\t```python\n\tx\n\t  y\n\t```\n"),
        ("admonition", "!!! note\n    ```python\n    x\n      y\n    ```\n"),
        ("details", "???+ note\n\n    ```python\n    x\n      y\n    ```\n"),
        ("tab", '=== "T"\n\n    ~~~python\n    x\n      y\n    ~~~\n'),
        ("footnote", "[^1]: a\n\n    ```python\n    x\n      y\n    ```\n"),
        ("definition", "a\n:   b\n\n    ```python\n    x\n      y\n    ```\n"),
        ("quote", "> ```python\n> x\n>   y\n> ```\n"),
        ("quote in list", "- a\n\n    > ```python\n    > x\n    >   y\n    > ```\n"),
        ("list in quote", "> - a\n>\n>     ```python\n>     x\n>       y\n>     ```\n"),
        ("after paragraph", "a\n```python\nx\n  y\n```\n"),
        ("longer fence", "`````python\nx\n  y\n`````\n"),
        ("no last newline", "```python\nx\n  y\n```"),
        ("windows line ends", "```python\r\nx\r\n  y\r\n```\r\n"),
    ],
)
def test_block_runs_where_the_site_shows_one(title: str, body: str) -> None:
    assert codes(body) == ["x\n  y"]
    assert rules(body) == []


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("longer fence", "````md\n```python\nx\n```\n````\n"),
        ("tilde fence", "~~~md\n```python\nx\n```\n~~~\n"),
        ("comment", "<!--\n```python\nx\n```\n-->\n"),
        ("comment with blank lines", "<!-- a\n\n```python\nx\n```\n\n-->\n"),
        ("code span", "a ```python b``` c\n"),
        ("code span at line start", "```python b``` c\n"),
    ],
)
def test_fence_inside_other_text_is_text(title: str, body: str) -> None:
    assert codes(body) == []
    assert rules(body) == []


@pytest.mark.parametrize(
    ("title", "body", "found"),
    [
        ("marker", "- ```python\n  x\n  ```\n", (1, "misplaced-fence")),
        ("numbered marker", "1. ```python\n   x\n   ```\n", (1, "misplaced-fence")),
        ("two columns", "- a\n\n  ```python\n  x\n  ```\n", (3, "misplaced-fence")),
        ("four columns in nothing", "a\n\n    ```python\n    x\n    ```\n", (3, "misplaced-fence")),
        (
            "no blank before list",
            "a\n- b\n\n    ```python\n    x\n    ```\n",
            (4, "misplaced-fence"),
        ),
        (
            "item behind a quote",
            "> a\n- b\n\n    ```python\n    x\n    ```\n",
            (4, "misplaced-fence"),
        ),
        ("behind indented code", "a\n\n    b\n```python\nx\n```\n", (4, "misplaced-fence")),
        ("in a paragraph", "> a\n    > ```python\n    > x\n    > ```\n", (2, "misplaced-fence")),
        ("backtick in option", '```python title="`a`"\nx\n```\n', (1, "misplaced-fence")),
        ("never closed", "```python\nx\n", (1, "unclosed-fence")),
        ("container ends first", "- a\n\n    ```python\n    x\n\nb\n", (3, "unclosed-fence")),
        ("closed by a longer one", "```python\nx\n````\n", (1, "unclosed-fence")),
    ],
)
def test_fence_that_the_site_would_not_see_is_a_finding(
    title: str, body: str, found: tuple[int, str]
) -> None:
    assert codes(body) == []
    assert rules(body) == [found]


def test_block_knows_its_place() -> None:
    [block] = read("a\n\n- b\n\n    ```python hide\n    x\n    ```\n").blocks
    assert str(block.location) == "page.md:8:5"
    assert block.code_line == 9
    assert block.fence.prefix == "    "


def test_rest_of_page_runs_when_one_fence_is_wrong() -> None:
    assert codes("- ```python\n  x\n  ```\n\n```python\ny\n```\n") == ["y"]


# Options ------------------------------------------------------------------------------


def test_options_are_read_and_taken_out() -> None:
    [block] = read('```python hide timeout=5 title="a b" raises="E" linenums="1"\nx\n```\n').blocks
    assert block.options.hide
    assert block.options.timeout == 5
    assert block.options.raises == "E"
    assert block.options.info == 'python title="a b" linenums="1"'


def test_options_in_braces_keep_classes_for_the_site() -> None:
    [block] = read('```{ .python .annotate fold #there title="t" }\nx\n```\n').blocks
    assert block.options.fold
    assert block.options.id == "there"
    assert block.options.info == '{ .python .annotate title="t" }'


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("hidden", "'hidden' is not an option"),
        ('tittle="a"', "'tittle' is not an option"),
        ("timeout=soon", "timeout='soon' is not a number of seconds"),
        ("timeout=0", "timeout='0' is not a number"),
        ("timeout=inf", "timeout='inf' is not a number"),
        ("raises", "the option raises needs a value"),
        ('raises=""', "the option raises needs a value"),
        ("hide hide", "the option hide stands twice"),
        ('hide="yes"', "'hide' is not an option"),
        ("title", "'title' is not an option"),
    ],
)
def test_wrong_option_is_a_finding_and_the_block_still_runs(words: str, said: str) -> None:
    document = read(f"```python {words}\nx\n```\n")
    assert len(document.blocks) == 1
    [found] = document.findings
    assert found.what.startswith(said)
    assert found.where.line == 4
    assert document.source.text[: 19 + 10].count("\n") == 3
    assert found.where.column >= 11


# Outputs ------------------------------------------------------------------------------


def test_output_below_block_belongs_to_it() -> None:
    document = read("```python\nx\n```\n\n\n```output\n1\n```\n")
    assert document.outputs[0].text == "1"


@pytest.mark.parametrize(
    "body",
    [
        "```output\n1\n```\n",
        "```python\nx\n```\n\na\n\n```output\n1\n```\n",
        "```python\nx\n```\n\n<!-- a -->\n\n```output\n1\n```\n",
        "- a\n\n    ```python\n    x\n    ```\n\n```output\n1\n```\n",
        "- a\n\n    ```python\n    x\n    ```\n\n- b\n\n    ```output\n    1\n    ```\n",
        "```python\nx\n```\n```output\n1\n```\n```output\n1\n```\n",
        "```text\nx\n```\n\n```output\n1\n```\n",
    ],
)
def test_output_elsewhere_is_a_finding(body: str) -> None:
    assert [rule for _, rule in rules(body)] == ["orphan-output"]


# Comments -----------------------------------------------------------------------------


def claims(body: str) -> list[tuple[str, str, str]]:
    found = read(body).claims
    return [(claim.kind, claim.literal.text, claim.expression) for claim in found]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("of 0.5<!--= a -->", [("=", "0.5", "a")]),
        ("a −1.5<!--= a -->", [("=", "−1.5", "a")]),
        ("is 2.4 × 10⁻⁷<!--= a -->", [("=", "2.4 × 10⁻⁷", "a")]),
        ("93%<!--= a -->", [("=", "93%", "a")]),
        ("**0.5**<!--= a -->", [("=", "0.5", "a")]),
        ("a _0.5_<!--= a -->", [("=", "0.5", "a")]),
        ("`[1, 2]`<!--= a -->", [("=", "[1, 2]", "a")]),
        ("**`a`**<!--= a -->", [("=", "a", "a")]),
        ("$0.5$<!--= a -->", [("=", "0.5", "a")]),
        ("$e^1 = 2.718$<!--= a -->", [("=", "2.718", "a")]),
        ("**True**<!--= a -->", [("=", "True", "a")]),
        ("one half<!--assert: 0 < a < 1 -->", [("assert", "half", "0 < a < 1")]),
        (
            "0.1<!--cite: the paper, table 2; page 3 -->",
            [("cite", "0.1", "the paper, table 2; page 3")],
        ),
        (
            "$$ 1 + 2.0 $$\n\n<!--above\n1 = a\n\n2.0 = b == c\n-->",
            [("above", "1", "a"), ("above", "2.0", "b == c")],
        ),
        ("> 1\n>\n> <!--above\n> 1 = a\n> -->", [("above", "1", "a")]),
        ("| a |\n|---|\n| 1<!--= a --> |", [("=", "1", "a")]),
        ("# 1<!--= a --> { #a }", [("=", "1", "a")]),
        ("- 1<!--= a -->\n- 2<!--= b -->", [("=", "1", "a"), ("=", "2", "b")]),
        ("[^1]: 1<!--= a -->", [("=", "1", "a")]),
        ("!!! note\n\n    1<!--= a -->", [("=", "1", "a")]),
        ('```python caption="is 1<!--= a -->"\na\n```', [("=", "1", "a")]),
    ],
)
def test_claim_is_read_where_it_stands(body: str, expected: list[tuple[str, str, str]]) -> None:
    assert claims(body) == expected
    assert rules(body) == []


def test_claim_has_tolerance_and_resource() -> None:
    [claim] = read("1<!--= f(';') ; tol=0.02; needs=gpt2 -->").claims
    assert (claim.expression, claim.tolerance, claim.needs) == ("f(';')", "0.02", "gpt2")


@pytest.mark.parametrize(
    ("body", "column", "said"),
    [
        ("0.5<!-- = a -->", 4, "nearly a claim"),
        ("0.5<!-- assert: a -->", 4, "nearly a claim"),
        ("0.5<!--Assert: a -->", 4, "nearly a claim"),
        ("0.5<!--asserts: a -->", 4, "nearly a claim"),
        ("0.5<!--cite the paper -->", 4, "nearly a claim"),
        ("0.5<!--== a -->", 4, "nearly a claim"),
        ("0.5<!--above 0.5 = a -->", 4, "nearly a claim"),
        ("0.5 <!--= a -->", 5, "nothing touches"),
        ("<!--= a -->", 1, "nothing touches"),
        ("0.5<!--= a b -->", 10, "'a b' is not a Python expression"),
        ("0.5<!--= a = 1 -->", 10, "'a = 1' is not a Python expression"),
        ("0.5<!--= -->", 4, "this claim has no expression"),
        ("0.5<!--cite: -->", 4, "this claim has no source"),
        ("0.5<!--= a; tol=x -->", 10, "tol=x is no tolerance"),
        ("0.5<!--= a; tol=0 -->", 10, "tol=0 is no tolerance"),
        ("0.5<!--assert: a; tol=1 -->", 16, "tol=1 is no tolerance"),
        ("0.5<!--= a; tol=1; tol=2 -->", 13, "tol stands twice"),
        ("0.5\n\n<!--above\nhalf\n-->", 1, "'half' is not of the form"),
        ("0.5\n\n<!--above\n0.7 = a\n-->", 1, "0.7 does not stand"),
        ("`0.5`\n\n<!--above\n0.5 = a\n-->", 1, "0.5 does not stand"),
        ("0.5\n\n```text\n```\n\n<!--above\n0.5 = a\n-->", 1, "0.5 does not stand"),
        ("0.5\n\n<!--above\n-->", 10, "claims nothing"),
        ("| a |\n|---|\n| 1<!--= a | b --> |", 12, "may not contain |"),
    ],
)
def test_malformed_claim_is_refused_with_its_place(body: str, column: int, said: str) -> None:
    document = read(body)
    assert document.claims == ()
    [found] = document.findings
    assert said in found.what
    assert found.where.column == column
    assert found.todo


@pytest.mark.parametrize(
    "body",
    [
        "a <!-- todo -->",
        "`0.5<!-- = a -->`",
        "``0.5 ` <!-- = a -->``",
        "a\n\n    0.5<!-- = a -->\n",
        "```text\n0.5<!-- = a -->\n```",
    ],
)
def test_what_is_no_claim_stays_text(body: str) -> None:
    assert claims(body) == []
    assert rules(body) == []


def test_literals_above_are_bound_from_left_to_right() -> None:
    body = "$$ 0.2 + 0.2 = 0.4 $$\n\n<!--above\n0.2 = a\n0.4 = b\n0.2 = c\n-->\n"
    document = read(body)
    starts = [(claim.expression, claim.literal.span.start) for claim in document.claims]
    text = document.source.text
    first = text.index("0.2")
    assert starts == [("a", first), ("b", text.index("0.4")), ("c", text.index("0.2", first + 1))]
    assert all(claim.literal.in_formula for claim in document.claims)


def test_literal_that_carries_a_claim_is_not_bound_again_from_below() -> None:
    document = read("0.5<!--= a -->\n\n<!--above\n0.5 = b\n-->\n")
    assert [claim.expression for claim in document.claims] == ["a"]
    assert [found.rule for found in document.findings] == ["malformed-claim"]


def test_heading_with_a_claim_needs_an_id() -> None:
    assert rules("## 1<!--= a -->\n") == [(1, "heading-id")]
    assert rules("1<!--= a -->\n===\n") == [(1, "heading-id")]
    assert rules("## 1<!--= a --> { .x #b }\n") == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("$x = 9.75<!--= a -->$", "inside a formula nothing is a claim"),
        ("cost $5 and 9.75<!--= a --> for 7$ x", "inside a formula nothing is a claim"),
        ("0.5<!--= (1\n\n+ 2) -->", "not closed within its paragraph"),
        ("0.5<!--= a -- >", "not closed within its paragraph"),
        ("0.5\\<!-- = a -->", "nearly a claim"),
        ("0.5<!---= a -->", "nearly a claim"),
        ("![is 0.5<!--= a -->](b.png)", "inside the words of an image"),
        ('<a title="0.5<!--= a -->">b</a>', "inside a tag"),
        ("0.5<!--= a; tol=1_0 -->", "tol=1_0 is no tolerance"),
        ("0.5<!--= a -->\n---\n", "a heading with a claim needs an id"),
    ],
)
def test_claim_that_nobody_would_check_is_a_finding(body: str, said: str) -> None:
    assert any(said in found.what for found in read(body).findings)


def test_underlined_heading_may_have_its_id_on_its_own_line() -> None:
    assert rules("A 1<!--= a --> { #a }\n===\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "---\r\n" + "line\r\n" * 2000,
        FRONT + "\na\n-" + "|          " * 200 + "x\n",
        FRONT + "1<!--=1-->" * 2000,
        FRONT + "a " + "<!--= " * 5000,
    ],
)
def test_no_text_takes_long_to_read(text: str) -> None:
    # It would take minutes, or for ever, if time grew faster than the text.
    assert parse(Source("page.md", text)).nodes


@pytest.mark.parametrize("value", ["date: 2026-02-30", "x: 0b_", "x: " + "[" * 3000])
def test_impossible_front_matter_is_a_finding(value: str) -> None:
    document = read("", f"---\nliterate: true\n{value}\n---\n")
    assert [found.rule for found in document.findings] == ["front-matter"]


def test_formulas_are_found_by_the_rules_of_the_site() -> None:
    body = "It costs $10 here and $20 there, $x$ and \\$y$ too.\n\n$$\na\n= b\n$$\n"
    formulas = [node for node in read(body).nodes if isinstance(node, Formula)]
    assert [(node.tex, node.display) for node in formulas] == [("x", False), ("\na\n= b\n", True)]


# Front matter -------------------------------------------------------------------------


@pytest.mark.parametrize("front", ["", "---\ntitle: a\n---\n", "---\nliterate: false\n---\n"])
def test_page_that_does_not_opt_in_is_left_alone(front: str) -> None:
    document = read("```python\nx\n```\n0.5<!-- = a -->\n", front)
    assert document.settings is None
    assert not document.blocks
    assert not document.findings


@pytest.mark.parametrize(
    ("front", "line", "said"),
    [
        ("---\nliterate: true\na: [\n---\n", 4, "not YAML"),
        ("---\na: 1\nliterate: yes please\n---\n", 3, "neither true nor a mapping"),
        ("---\nliterate:\n  timeoute: 3\n---\n", 2, "no setting 'timeoute'"),
    ],
)
def test_wrong_front_matter_is_a_finding(front: str, line: int, said: str) -> None:
    [found] = read("", front).findings
    assert said in found.what
    assert found.where.line == line


# Total and lossless -------------------------------------------------------------------

WORDS = """
    ``` ```` ~~~ ```python ```output ```{.python - * 1. > >> !!! === ??? [^1]: : # <!-- --> <!--=
    <!--above <!--assert: $ $$ ` `` | |---| \\ 0.5 a = x; tol=1 hide title="a" --- literate:
"""
BLANKS = " |  |    |\t|\n|\n\n|\r\n|\r|\x00|\x1b|\x02|é|−|\ufeff|\u2028"
PIECES = st.sampled_from(WORDS.split() + BLANKS.split("|"))


@given(st.lists(PIECES, max_size=60).map("".join))
@example("> " * 200 + "x\n")
@example("- " * 200 + "x\n")
def test_no_text_is_lost_whatever_it_is(body: str) -> None:
    document = read(body)
    for block in document.blocks:
        assert document.source.text[block.span.start :].lstrip("> \t").startswith(block.fence.mark)
    for index, output in document.outputs.items():
        assert document.blocks[index].span.end <= output.span.start


@given(st.text(max_size=200))
def test_any_text_is_a_document(text: str) -> None:
    document = parse(Source("page.md", text))
    assert "".join(document.source.slice(node.span) for node in document.nodes) == text


def test_kinds_of_nodes_of_a_small_page() -> None:
    document = read("a\n\n```python\n1\n```\n\n```output\n1\n```\n\n1<!--= 1 -->\n")
    kinds = [type(node) for node in document.nodes]
    assert [kind for kind in kinds if kind in {CodeBlock, OutputBlock, ClaimComment}] == [
        CodeBlock,
        OutputBlock,
        ClaimComment,
    ]
