"""Coverage: which numbers owe a proof, and which have one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from literate.audit import audit
from literate.cli import main
from literate.parse import parse
from literate.source import Source

FRONT = "---\nliterate: true\n---\n"


def statuses(body: str, missing: dict[str, str] | None = None) -> list[tuple[str, str]]:
    coverage = audit(parse(Source("page.md", FRONT + body)), missing)
    return [(mention.text, mention.status) for mention in coverage.mentions]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("It is 0.5, 93%, 2,304, 1e-5, 10⁻⁷ and 12.", ["0.5", "93%", "2,304", "1e-5", "10⁻⁷"]),
        ("$$ \\frac{0.5}{1{,}024} \\times 10^{-7} $$", ["0.5", "1{,}024", "10^{-7}"]),
        ("| a | b |\n|---|---|\n| 0.5 | 7 |", ["0.5"]),
        ("## Of 0.5\n", ["0.5"]),
        ("[^1]: is 0.5", ["0.5"]),
        ("!!! note\n\n    is 0.5", ["0.5"]),
        ('```python alt="0.7" caption="is 0.5"\nx\n```', ["0.5"]),
        ("In 2017 it was 1999.", ["2017", "1999"]),
        ("It takes\n\n1.5 hours", ["1.5"]),
    ],
)
def test_number_that_owes_a_proof_is_unbound(body: str, expected: list[str]) -> None:
    assert statuses(body) == [(text, "unbound") for text in expected]


@pytest.mark.parametrize(
    "body",
    [
        "`0.5` and ``1,024``",
        "```text\n0.5\n```",
        "a\n\n    0.5\n",
        "<!-- 0.5 -->",
        "[a](b-0.5.md) [c](<d 0.5.md>) ![e](f.png?v=0.5)",
        "[a]: https://b.example/0.5 'and 1.5'",
        "<https://a.example/0.5> https://a.example/0.5",
        '<span style="width: 0.5em">a</span>',
        "a { width=0.5 .b }{: #c data-x=0.5 }".replace("{ width=0.5 .b }", "{ .b width=0.5 }"),
        "PyTorch 2.13.0 on 2026-07-31, GPT-2 and h.0.5",
        "Vaswani et al. (2017), Radford, 2019, and Olsson 2022",
        "[^1]: Attention, in the proceedings of 2017.",
        "$a \\hspace{0.5em} b \\\\[0.5em] c \\kern 0.5em d$",
        "It is 12, 3 and 100.",
    ],
)
def test_number_that_owes_no_proof_is_not_counted(body: str) -> None:
    assert statuses(body) == []


def test_every_status_is_told_apart() -> None:
    body = """\
## One

It is 0.5<!--= a -->, half<!--assert: a -->, 0.1<!--cite: b -->, 0.7<!--= c; needs=gpt2 -->.

```python
print(0.25, 1.5)
```

```output
0.25 1.5
```

Printed 0.25, and 0.250.

### Below

Still 1.5.

## Two

No longer 0.25, but 7<!--= d -->.
"""
    assert statuses(body, {"gpt2": "run it"}) == [
        ("0.5", "computed"),
        ("half", "computed"),
        ("0.1", "cited"),
        ("0.7", "unchecked"),
        ("0.25", "shown"),
        ("0.250", "shown"),
        ("1.5", "shown"),
        ("0.25", "unbound"),
        ("7", "computed"),
    ]
    assert ("0.7", "computed") in statuses(body)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(f"{FRONT}is 0.5, 93%<!--= 0.93 -->\n", "utf-8")

    def write(settings: str) -> Path:
        text = f"site_name: s\nplugins:\n  - literate:\n      timeout: 5\n{settings}"
        (tmp_path / "mkdocs.yml").write_text(text)
        return tmp_path

    return write


def test_audit_lists_what_is_unbound_and_runs_nothing(
    site: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    site("")
    assert main(["audit"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "docs/a.md: computed 1, shown 0, cited 0, unchecked 0, unbound 1",
        "docs/a.md:4:4: 0.5 is unbound; bind it with <!--= … --> or cite it",
    ]


@pytest.mark.parametrize(("allowed", "status"), [(0, 1), (1, 0)])
def test_audit_fails_where_a_setting_says_so(
    site: Callable[[str], Path], capsys: pytest.CaptureFixture[str], allowed: int, status: int
) -> None:
    site(f"      unbound: {allowed}\n")
    assert main(["audit"]) == status
    assert ("1 unbound, and the setting unbound allows 0" in capsys.readouterr().err) == status


def test_audit_speaks_json(site: Callable[[str], Path], capsys: pytest.CaptureFixture[str]) -> None:
    site("")
    assert main(["audit", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "version": 1,
        "pages": [
            {
                "page": "docs/a.md",
                "computed": 1,
                "shown": 0,
                "cited": 0,
                "unchecked": 0,
                "unbound": 1,
                "unbound_numbers": [{"text": "0.5", "line": 4, "column": 4}],
            }
        ],
    }
