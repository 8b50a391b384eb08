"""Stale pages put right: no more is changed than has to be, and once is enough."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from literate import pipeline
from literate.errors import ConflictError
from literate.pipeline import Page

FRONT = "---\nliterate: true\n---\n"

Run = Callable[..., Page]


def synced(run_page: Run, body: str) -> str:
    """The body after `sync`, which a second `sync` must leave as it is."""
    page = run_page(body)
    text, changes = pipeline.repair(page)
    assert (text == FRONT + body) == (not changes)
    again = run_page(text.removeprefix(FRONT))
    assert pipeline.repair(again) == (text, ())
    assert pipeline.left_over(again.findings) == list(again.findings)
    return text.removeprefix(FRONT)


@pytest.mark.parametrize(
    ("title", "before", "after"),
    [
        (
            "stale",
            "a\n\n```python\nprint(2)\n```\n\n```output\n1\n```\n\nb",
            "a\n\n```python\nprint(2)\n```\n\n```output\n2\n```\n\nb",
        ),
        (
            "missing",
            "```python\nprint(2)\n```\n\nb\n",
            "```python\nprint(2)\n```\n\n```output\n2\n```\n\nb\n",
        ),
        (
            "missing at the end",
            "```python\nprint(2)\n```",
            "```python\nprint(2)\n```\n\n```output\n2\n```",
        ),
        (
            "empty",
            "```python\nprint(2)\n```\n\n```output\n```\n",
            "```python\nprint(2)\n```\n\n```output\n2\n```\n",
        ),
        (
            "no longer printed",
            "a\n\n```python\n1;\n```\n\n```output\n2\n```\n\nb\n",
            "a\n\n```python\n1;\n```\n\nb\n",
        ),
        (
            "hidden",
            "```python hide\nprint(1)\n```\n\n```output\n1\n```\n",
            "```python hide\nprint(1)\n```\n",
        ),
        (
            "in a list",
            "- a\n\n    ```python\n    print('x\\n\\ny')\n    ```\n\n- b\n",
            "- a\n\n    ```python\n    print('x\\n\\ny')\n    ```\n\n"
            "    ```output\n    x\n\n    y\n    ```\n\n- b\n",
        ),
        (
            "in a quote",
            "> ```python\n> print('x\\n\\ny')\n> ```\n>\n> ```output\n> z\n> ```\n",
            "> ```python\n> print('x\\n\\ny')\n> ```\n>\n> ```output\n> x\n>\n> y\n> ```\n",
        ),
        (
            "windows line ends",
            "```python\r\nprint('x\\ny')\r\n```\r\n",
            "```python\r\nprint('x\\ny')\r\n```\r\n\r\n```output\r\nx\r\ny\r\n```\r\n",
        ),
        (
            "fences in the output",
            "```python\nprint('```')\n```\n\n```output\n```\n",
            "```python\nprint('```')\n```\n\n````output\n```\n````\n",
        ),
        (
            "tilde fences",
            "~~~python\nprint(1)\n~~~\n",
            "~~~python\nprint(1)\n~~~\n\n~~~output\n1\n~~~\n",
        ),
        (
            "true to the digits shown",
            "```python\nprint(0.57643)\n```\n\n```output\n0.576\n```\n",
            "```python\nprint(0.57643)\n```\n\n```output\n0.576\n```\n",
        ),
        (
            "volatile",
            "```python volatile\nprint(1)\n```\n",
            "```python volatile\nprint(1)\n```\n",
        ),
    ],
)
def test_sync_puts_right_what_is_stale_and_nothing_else(
    run_page: Run, title: str, before: str, after: str
) -> None:
    if "\r\n" in before:
        page = run_page(before, front=FRONT.replace("\n", "\r\n"))
        text, _ = pipeline.repair(page)
        assert text == FRONT.replace("\n", "\r\n") + after
        return
    assert synced(run_page, before) == after


def test_sync_writes_a_listing_anew(run_page: Run, tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text("class A:\n    x = 1\n\n    def f(self):\n        return 2\n")
    before = (
        '!!! note\n\n    ```python source="code.A"\n    ```\n\n'
        "    ```python\n    A().f()\n    ```\n"
    )
    after = (
        '!!! note\n\n    ```python source="code.A"\n    class A:\n        x = 1\n\n'
        "        def f(self):\n            return 2\n    ```\n\n"
        "    ```python\n    A().f()\n    ```\n\n    ```output\n    2\n    ```\n"
    )
    assert synced(run_page, before) == after


def test_listing_that_holds_a_fence_gets_longer_ones(run_page: Run, tmp_path: Path) -> None:
    (tmp_path / "fenced.py").write_text('def f():\n    return """\n```\n"""\n')
    before = '```python source="fenced.f"\nx\n```\n'
    after = '````python source="fenced.f"\ndef f():\n    return """\n```\n"""\n````\n'
    assert synced(run_page, before) == after


def test_sync_leaves_what_a_failed_block_could_not_compute(run_page: Run) -> None:
    body = (
        "```python\nprint(2)\n```\n\n```output\n1\n```\n\n"
        "```python\n1 / 0\n```\n\n```output\n3\n```\n"
    )
    text, changes = pipeline.repair(run_page(body))
    assert len(changes) == 1
    assert text == FRONT + body.replace("output\n1", "output\n2")


def test_sync_refuses_a_file_that_changed_since_it_was_read(run_page: Run) -> None:
    page = run_page("```python\nprint(2)\n```\n")
    page.chapter.file.write_text("somebody else's")
    text, _ = pipeline.repair(page)
    with pytest.raises(ConflictError, match=r"page\.md: the file changed since it was read"):
        pipeline.save(page, text)
    assert page.chapter.file.read_text() == "somebody else's"


def test_byte_order_mark_survives(run_page: Run) -> None:
    page = run_page("```python\nprint(2)\n```\n", front="\ufeff" + FRONT)
    text, _ = pipeline.repair(page)
    pipeline.save(page, text)
    data = page.chapter.file.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---")
    assert data.endswith(b"```output\n2\n```\n")
