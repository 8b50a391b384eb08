"""Sites built and previewed by MkDocs with the plugin switched on."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from literate.render import fill

FRONT = "---\nliterate: true\n---\n"
CONFIG = """\
site_name: Small
theme:
  name: material
  font: false
plugins:
  - search
  - literate:
      mathematics: true
markdown_extensions:
  - admonition
  - attr_list
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.details
  - pymdownx.superfences
  - pymdownx.tabbed: {alternate_style: true}
"""
ENVIRONMENT = {
    **os.environ,
    "NO_MKDOCS_2_WARNING": "1",
    "PYTHONUNBUFFERED": "1",
    "SOURCE_DATE_EPOCH": "1700000000",
}

Build = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def build(tmp_path: Path) -> Build:
    """Build a site of one page in a folder of its own."""
    (tmp_path / "mkdocs.yml").write_text(CONFIG)
    (tmp_path / "docs").mkdir()

    def run(body: str, *words: str, front: str = FRONT) -> subprocess.CompletedProcess[str]:
        (tmp_path / "docs" / "index.md").write_text(front + body, "utf-8")
        command = [sys.executable, "-m", "mkdocs", "build", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )

    return run


def page(folder: Path) -> str:
    return (folder / "site" / "index.html").read_text("utf-8")


def outputs(html: str) -> list[str]:
    found = re.findall(r'<div class="literate-output[^>]*>.*?<code>(.*?)\n</code>', html, re.S)
    return [str(text) for text in found]


def test_page_shows_what_its_blocks_put_out(build: Build, tmp_path: Path) -> None:
    body = (
        "# Title\n\n- a list\n\n    ```python title=\"a.py\"\n    print('in a list')\n    ```\n\n"
        "    ```output\n    in a list\n    ```\n\n"
        "!!! note\n\n    ```python hide\n    x = 1\n    ```\n\n"
        "    ```python fold\n    x\n    ```\n\n"
        "    ```output\n    1\n    ```\n\n"
        '=== "Tab"\n\n    ~~~python\n    "tab"\n    ~~~\n\n    ~~~output\n    \'tab\'\n    ~~~\n\n'
        "> ```python\n> 'quoted'\n> ```\n>\n> ```output\n> 'quoted'\n> ```\n\n"
        '```python volatile\n"now"\n```\n\n```python raises="KeyError"\n{}["k"]\n```\n'
    )
    done = build(body, "--strict")
    assert done.returncode == 0, done.stderr
    html = page(tmp_path)
    assert outputs(html) == [
        "in a list",
        "1",
        "&#x27;tab&#x27;",
        "&#x27;quoted&#x27;",
        "&#x27;now&#x27;",
        "KeyError: &#x27;k&#x27;",
    ]
    assert "data-literate" not in html
    assert "literate-fold" in html
    assert 'class="filename">a.py' in html
    assert "x = 1" not in re.sub("<[^>]+>", "", html)
    assert "from this build" in html


def test_volatile_result_of_an_earlier_build_says_so(build: Build, tmp_path: Path) -> None:
    block = "```python volatile\nprint(1)\n```\n"
    for label in ("from this build", "from an earlier build", "from an earlier build"):
        assert build(block).returncode == 0
        assert re.findall('literate-label">([^<]*)', page(tmp_path)) == [label]


def test_figures_and_rich_results_stand_in_every_container(build: Build, tmp_path: Path) -> None:
    drawn = 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.title("a*b*c _y_ {{ z }}")'
    rich = 'from IPython.display import HTML\nHTML("<table><tr><td>a *b* $c$</td></tr></table>")'

    def block(code: str, prefix: str) -> str:
        lines = ['```python alt="words" caption="Cap."', *code.split("\n"), "```"]
        return "\n".join(prefix + line for line in lines) + "\n\n"

    body = "".join(
        f"{opening}{prefix.rstrip()}\n{block(drawn, prefix)}{again}{block(rich, prefix)}"
        for opening, prefix, again in (
            ("# Top\n", "", ""),
            ("- item\n", "    ", ""),
            ("!!! note\n", "    ", ""),
            ('=== "Tab"\n', "    ", ""),
            ("> quoted\n", "> ", "> more\n>\n"),
        )
    )
    done = build(body, "--strict")
    assert done.returncode == 0, done.stderr
    html = page(tmp_path)
    assert html.count("a*b*c _y_ {{ z }}</text>") == 5
    assert html.count("<td>a *b* $c$</td>") == 5
    assert html.count("<figcaption>Cap.</figcaption>") == 10
    assert "<p><figure" not in html
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))


def test_two_builds_give_the_same_bytes(build: Build, tmp_path: Path) -> None:
    body = (
        '# T\n\n```python alt="a"\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\n```\n\n'
        "0.5<!--= 1 / 2 -->\n\n```python\n{'a', 'b', 'c'}, hash('a')\n```\n"
    )
    trees = []
    for fresh in (True, False, True):
        if fresh:
            shutil.rmtree(tmp_path / ".cache", ignore_errors=True)
        assert build(body).returncode == 0
        site = tmp_path / "site"
        files = sorted(path for path in site.rglob("*") if path.is_file())
        trees.append({path.relative_to(site): path.read_bytes() for path in files})
        shutil.rmtree(site)
    assert trees[0] == trees[1] == trees[2]


def test_output_is_text_whatever_it_looks_like(build: Build, tmp_path: Path) -> None:
    shown = "<b>bold</b> | $x$ *y* {{ page.title }} <script>alert(1)</script> --8<-- \\(z\\)"
    code = f"```python\nprint({shown!r})\n```\n\n```output\n{shown}\n```\n"
    body = f"It costs $10 here and $20 there.\n\n{code}"
    done = build(body, "--strict")
    assert done.returncode == 0, done.stderr
    html = page(tmp_path)
    [text] = outputs(html)
    assert "<script>alert" not in html
    assert text.startswith("&lt;b&gt;bold&lt;/b&gt; | $x$ *y* {{ page.title }} &lt;script&gt;")
    assert "It costs $10 here and $20 there." in html


def test_search_does_not_index_outputs(build: Build, tmp_path: Path) -> None:
    done = build(
        "# T\n\nprose-word\n\n```python\nprint('out' + 'putword')\n```\n\n"
        "```output\noutputword\n```\n"
    )
    assert done.returncode == 0, done.stderr
    index = json.loads((tmp_path / "site/search/search_index.json").read_text("utf-8"))
    text = json.dumps(index["docs"])
    assert "prose-word" in text
    assert "outputword" not in text


def test_claims_leave_no_trace_on_the_page(build: Build, tmp_path: Path) -> None:
    body = "A half, 0.5<!--= 1 / 2 -->, and\n\n$$ x = 0.5 $$\n\n<!--above\n0.5 = 1 / 2\n-->\n"
    done = build(body, "--strict")
    assert done.returncode == 0, done.stderr
    article = page(tmp_path).split("<article")[1].split("</article>")[0]
    assert "<!--" not in article
    assert "&lt;!--" not in article
    assert "<math" in article


def test_failed_block_fails_the_build_and_leaves_the_old_site(build: Build, tmp_path: Path) -> None:
    assert build("old words\n").returncode == 0
    done = build("new words\n\n```python\n1 / 0\n```\n")
    assert done.returncode == 3
    assert "docs/index.md:7:1: the block raised ZeroDivisionError" in done.stderr
    assert "old words" in page(tmp_path)


def test_stale_output_fails_a_strict_build_only(build: Build, tmp_path: Path) -> None:
    body = "```python\nprint(2)\n```\n\n```output\n1\n```\n"
    done = build(body, "--strict")
    assert done.returncode == 1
    assert "docs/index.md:8:1: 1 shown, 2 computed" in done.stderr
    assert not (tmp_path / "site").exists()
    done = build(body)
    assert done.returncode == 0
    assert "1 shown, 2 computed" in done.stderr
    assert outputs(page(tmp_path)) == ["2"]


def test_page_that_is_not_executed_says_so(build: Build, tmp_path: Path) -> None:
    body = "```python\nraise SystemExit\n```\n\n```output\n1\n```\n"
    done = build(body, front="---\nliterate:\n  execute: false\n---\n")
    assert done.returncode == 0, done.stderr
    assert "not run in this build" in page(tmp_path)


def test_block_that_needs_what_is_not_here_says_so_and_how_to_get_it(
    build: Build, tmp_path: Path
) -> None:
    resources = "resources: {gpt2: {path: gpt2.json, how: '\"make it\" makes it'}}"
    config = CONFIG.replace("mathematics: true", f"mathematics: true\n      {resources}")
    (tmp_path / "mkdocs.yml").write_text(config, "utf-8")
    body = '```python needs="gpt2"\nprint(1)\n```\n\n```output\n1\n```\n'
    hidden = '\n```python hide needs="gpt2"\nx = 1\n```\n'
    done = build(body + hidden, "--strict")
    assert done.returncode == 0, done.stderr
    html = page(tmp_path)
    said = "Not run in this build: it needs gpt2; &quot;make it&quot; makes it."
    assert html.count(said) == 1
    assert outputs(html) == []


def test_formula_that_cannot_be_shown_is_named_with_its_place(build: Build) -> None:
    done = build("Look: $a + \\nosuch$.\n", "--strict")
    assert done.returncode == 1
    assert re.search(r"docs/index\.md:4:1[0-9]: ", done.stderr), done.stderr


def test_wrong_setting_ends_the_build(build: Build, tmp_path: Path) -> None:
    (tmp_path / "mkdocs.yml").write_text(CONFIG.replace("mathematics", "mathmatics"))
    done = build("a\n")
    assert done.returncode == 1
    assert "literate has no setting 'mathmatics'" in done.stderr


def test_page_without_literate_is_built_as_ever(build: Build, tmp_path: Path) -> None:
    done = build("```python hide\nraise SystemExit\n```\n", "--strict", front="")
    assert done.returncode == 0, done.stderr
    assert "literate-output" not in page(tmp_path)


def test_placeholder_is_filled_with_the_paragraph_that_wraps_it() -> None:
    html = '<p><div data-literate="a-1"></div></p><div data-literate="b-2"></div><p>c</p>'
    assert fill(html, {"a-1": "<pre>A</pre>", "b-2": "\\1"}) == "<pre>A</pre>\\1<p>c</p>"
    assert fill(html, {}) == html


@pytest.mark.skipif(os.name == "nt", reason="needs signals of a POSIX system")
@pytest.mark.parametrize("request_to_end", [signal.SIGINT, signal.SIGTERM])
def test_build_that_is_ended_leaves_no_process_and_the_old_site(
    build: Build, tmp_path: Path, ends: Callable[[int], bool], request_to_end: signal.Signals
) -> None:
    assert build("old words\n").returncode == 0
    code = (
        "import os, pathlib, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        "pathlib.Path('pids').write_text(f'{os.getpid()} {child.pid}')\ntime.sleep(600)"
    )
    (tmp_path / "docs" / "index.md").write_text(f"{FRONT}\n```python\n{code}\n```\n", "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    with subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT) as process:
        pids = tmp_path / "pids"
        deadline = time.monotonic() + 60
        while not (pids.exists() and " " in pids.read_text()):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(request_to_end)
        assert process.wait(30) != 0
    assert "old words" in page(tmp_path)
    assert all(ends(int(number)) for number in pids.read_text().split())


@pytest.mark.skipif(os.name == "nt", reason="needs signals of a POSIX system")
@pytest.mark.parametrize("request_to_end", ["SIGINT", "SIGTERM"])
def test_interrupt_while_the_site_is_written_leaves_a_whole_one(
    build: Build, tmp_path: Path, request_to_end: str
) -> None:
    assert build("old words\n").returncode == 0
    whole = {path.name for path in (tmp_path / "site").rglob("*")}
    settings = tmp_path / "mkdocs.yml"
    settings.write_text(settings.read_text() + "hooks: [hook.py]\n")
    kill = f"os.kill(os.getpid(), signal.{request_to_end})"
    hook = f"import os, signal\ndef on_env(env, **others):\n    {kill}\n"
    (tmp_path / "hook.py").write_text(hook)
    done = build("new words\n")
    assert done.returncode != 0
    assert "ends when the site is written" in done.stderr
    assert "new words" in page(tmp_path)
    assert {path.name for path in (tmp_path / "site").rglob("*")} == whole
    # Who asks twice does not wait.
    (tmp_path / "hook.py").write_text(f"{hook}    {kill}\n")
    assert build("newer words\n").returncode != 0
    assert not (tmp_path / "site" / "index.html").exists()


# Live preview -------------------------------------------------------------------------


class Preview:
    """A running `mkdocs serve`."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"],
            cwd=folder,
            env=ENVIRONMENT,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: queue.Queue[str] = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def close(self) -> None:
        # It takes away what it has written, if it is asked to end.
        self.process.terminate()
        self.process.wait(60)
        self.reader.join()
        assert self.process.stderr is not None
        self.process.stderr.close()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.put(line)

    def wait_for(self, words: str, seconds: float = 60) -> list[str]:
        """The log up to a line with these words."""
        seen: list[str] = []
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(queue.Empty):
                seen.append(self.lines.get(timeout=0.1))
                if words in seen[-1]:
                    return seen
        raise AssertionError(f"{words!r} never came: {''.join(seen)}")

    def rest(self, seconds: float) -> list[str]:
        """Whatever else is logged in the next seconds."""
        time.sleep(seconds)
        return [self.lines.get() for _ in range(self.lines.qsize())]

    def page(self) -> str:
        with urllib.request.urlopen(self.url) as answer:
            return str(answer.read().decode())


@pytest.fixture
def preview(tmp_path: Path) -> Iterator[Preview]:
    (tmp_path / "mkdocs.yml").write_text(
        CONFIG.replace("theme:\n  name: material\n  font: false\n", "")
    )
    (tmp_path / "docs").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "helper.py").write_text("VALUE = 1\n")
    code = "import sys\nsys.path.insert(0, 'src')\nimport helper\nprint('value', helper.VALUE)"
    (tmp_path / "docs" / "index.md").write_text(f"{FRONT}\n```python\n{code}\n```\n")
    running = Preview(tmp_path)
    try:
        running.wait_for("Serving on")
        yield running
    finally:
        running.close()


def test_preview_rebuilds_once_for_a_saved_page_or_module(preview: Preview, tmp_path: Path) -> None:
    assert outputs(preview.page()) == ["value 1"]
    (tmp_path / "src" / "helper.py").write_text("VALUE = 22\n")
    preview.wait_for("Reloading browsers")
    assert outputs(preview.page()) == ["value 22"]
    cache = tmp_path / "src" / "__pycache__"
    cache.mkdir(exist_ok=True)
    (cache / "helper.pyc").write_bytes(b"x")
    chapter = tmp_path / "docs" / "index.md"
    quiet = preview.rest(2)
    assert not [line for line in quiet if "Detected" in line], quiet
    chapter.write_text(chapter.read_text().replace("'value'", "'number'"))
    preview.wait_for("Reloading browsers")
    assert outputs(preview.page()) == ["number 22"]
    assert not [line for line in preview.rest(2) if "Detected" in line]


def test_preview_shows_a_failure_in_its_place_and_goes_on(preview: Preview, tmp_path: Path) -> None:
    chapter = tmp_path / "docs" / "index.md"
    good = chapter.read_text()
    chapter.write_text(good + "\n```python\n1 / 0\n```\n\n```python\n3\n```\n\nlast words\n")
    preview.wait_for("Reloading browsers")
    html = preview.page()
    assert 'class="literate-error"' in html
    assert "docs/index.md:13:1" in html
    assert "ZeroDivisionError: division by zero" in html
    assert "Not run, because the block on line 12 failed." in html
    assert "last words" in html
    chapter.write_text(good)
    preview.wait_for("Reloading browsers")
    assert "literate-error" not in preview.page()


def detected(lines: list[str]) -> int:
    return sum("Detected" in line for line in lines)


def test_file_put_in_the_place_of_another_is_one_save(preview: Preview, tmp_path: Path) -> None:
    chapter = tmp_path / "docs" / "index.md"
    for number in range(2):
        new = tmp_path / "docs" / ".index.md.swx"
        new.write_text(chapter.read_text() + f"\nsaved {number}\n")
        (tmp_path / "docs" / "4913").touch()
        (tmp_path / "docs" / "4913").unlink()
        new.replace(chapter)
        seen = preview.wait_for("Reloading browsers")
        assert detected(seen + preview.rest(1.5)) == 1
        assert f"saved {number}" in preview.page()


def test_settings_are_followed_however_they_are_saved(preview: Preview, tmp_path: Path) -> None:
    settings = tmp_path / "mkdocs.yml"
    for name in ("First", "Second"):
        new = tmp_path / "new.yml"
        new.write_text(settings.read_text().replace("site_name: Small", f"site_name: {name}"))
        new.replace(settings)
        preview.wait_for("Reloading browsers")
        assert f"<title>{name}</title>" in preview.page()
        settings.write_text(settings.read_text().replace(name, "Small"))
        preview.wait_for("Reloading browsers")


def test_preview_goes_on_from_the_block_that_was_edited(preview: Preview, tmp_path: Path) -> None:
    chapter = tmp_path / "docs" / "index.md"
    slow = "```python volatile\nimport time; time.sleep(2); time.monotonic_ns()\n```\n\n"
    chapter.write_text(f"{FRONT}{slow}```python\nprint(1)\n```\n")
    preview.wait_for("Reloading browsers")
    first = outputs(preview.page())
    started = time.monotonic()
    chapter.write_text(f"{FRONT}More.\n\n{slow}```python\nprint(2)\n```\n")
    preview.wait_for("Reloading browsers")
    assert time.monotonic() - started < 2
    assert outputs(preview.page()) == [first[0], "2"]


def test_save_during_a_rebuild_ends_what_runs_in_vain(preview: Preview, tmp_path: Path) -> None:
    chapter = tmp_path / "docs" / "index.md"
    endless = "```python timeout=600\nprint('begun'); import time; time.sleep(500)\n```\n"
    (tmp_path / "docs" / "other.md").write_text(f"{FRONT}other words\n")
    preview.wait_for("Reloading browsers")
    chapter.write_text(FRONT + endless)
    preview.wait_for("Building documentation")
    time.sleep(1)
    chapter.write_text(f"{FRONT}```python\nprint(7)\n```\n")
    seen = preview.wait_for("Reloading browsers", 20)
    assert outputs(preview.page()) == ["7"]
    assert not [line for line in seen if "interrupted" in line]


@pytest.mark.skipif(sys.platform != "linux", reason="keeps checkpoints on Linux only")
@pytest.mark.parametrize("request_to_end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_preview_that_is_ended_leaves_no_process(
    preview: Preview,
    tmp_path: Path,
    ends: Callable[[int], bool],
    request_to_end: signal.Signals,
) -> None:
    chapter = tmp_path / "docs" / "index.md"
    code = "import os, time; time.sleep(0.1); print(os.getpid(), os.getppid())"
    chapter.write_text(FRONT + f"```python\n{code}\n```\n\n" * 3)
    preview.wait_for("Reloading browsers")
    numbers = " ".join(outputs(preview.page())).split()
    assert len(set(numbers)) == 3  # a supervisor, a checkpoint, and the copy that went on
    preview.process.send_signal(request_to_end)
    preview.process.wait(30)
    assert all(ends(int(number)) for number in numbers)
