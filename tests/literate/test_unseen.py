"""What pages look at without opening it, or by ways that are hard to see."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from literate import pipeline
from literate.pipeline import Page

FRONT = "---\nliterate: true\n---\n"
linux = pytest.mark.skipif(sys.platform != "linux", reason="a means of Linux")
posix = pytest.mark.skipif(sys.platform == "win32", reason="a means of POSIX systems")

Files = dict[str, str]


class Project:
    """A site of one page, in a folder that has something beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "site of one"
        self.folder.mkdir()

    def write(self, files: Files) -> None:
        for name, text in files.items():
            path = self.folder / name
            if text == "/":
                path.mkdir()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def run(self, code: str, fresh: bool = False) -> Page:
        page = self.folder / "page.md"
        page.write_text(f"{FRONT}```python\n{code}\n```\n", "utf-8")
        site = pipeline.find_site(self.folder)
        chapters = pipeline.find_chapters([page], site)
        [made] = pipeline.run_chapters(chapters, site, pipeline.Progress(print), fresh)
        assert made.result.blocks[0].failure is None, made.result.blocks[0].failure
        return made

    def said(self, code: str) -> str:
        return self.run(code).result.blocks[0].text

    def ran(self, code: str) -> bool:
        return self.run(code).blocks_run > 0


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    made = Project(tmp_path)
    monkeypatch.chdir(made.folder)
    return made


def path(expression: str) -> str:
    return f"import os\nfrom pathlib import Path\nprint({expression})"


FOLDER = "import os\nd = os.open('data', os.O_RDONLY)\n"
NAMESPACE = "import parts.one\nprint(getattr(parts, 'MINE', None))"
COMMAND = "import os, subprocess, sys\nprint(subprocess.run({}, capture_output=True).stdout)"

CHANGES: dict[str, tuple[str, Files, Files]] = {
    "exists": (path("Path('a').exists()"), {}, {"a": ""}),
    "is_file": (path("Path('a').is_file()"), {}, {"a": ""}),
    "isdir": (path("os.path.isdir('a')"), {}, {"a": "/"}),
    "size": (path("os.path.getsize('a')"), {"a": "1"}, {"a": "22"}),
    "size of an iterated path": (
        path("[p.stat().st_size for p in Path('data').iterdir()]"),
        {"data/a": "1"},
        {"data/a": "22"},
    ),
    "size of a scanned entry": (
        path("[e.stat().st_size for e in os.scandir('data')]"),
        {"data/a": "1"},
        {"data/a": "22"},
    ),
    "access": (path("os.access('a', os.R_OK)"), {}, {"a": ""}),
    "walk": (path("[f for _, _, f in os.walk('data')]"), {"data/a": ""}, {"data/b/c": ""}),
    "glob": (path("list(Path('.').rglob('*.csv'))"), {"data/a": ""}, {"data/b/c.csv": ""}),
    "shadow": ("import colorsys\nprint(hasattr(colorsys, 'MINE'))", {}, {"colorsys.py": "MINE=1"}),
    "shadow that changes": (
        "import colorsys\nprint(getattr(colorsys, 'MINE', 0))",
        {"colorsys.py": "MINE=1"},
        {"colorsys.py": "MINE=2"},
    ),
    "namespace": (NAMESPACE, {"parts/one.py": ""}, {"parts/__init__.py": "MINE = 1"}),
    "package before module": (
        "import one\nprint(one.__file__[-8:])",
        {"one.py": ""},
        {"one/__init__.py": ""},
    ),
    "find_spec": (
        "import importlib.util\nprint(importlib.util.find_spec('extra_thing') is not None)",
        {},
        {"extra_thing.py": ""},
    ),
    "command": (COMMAND.format("['cat', 'a']"), {}, {"a": "1"}),
    "shell": (COMMAND.format("'cat  a|cat', shell=True"), {"a": "1"}, {"a": "2"}),
    "redirection": (COMMAND.format("'cat <a', shell=True"), {"a": "1"}, {"a": "2"}),
    "system": ("import os\nos.system('cat a');", {"a": "1"}, {"a": "2"}),
    "popen": ("import os\nprint(os.popen('cat a').read())", {"a": "1"}, {"a": "2"}),
    "spawn": (
        "import os\nos.waitpid(os.posix_spawn('/bin/cat', ['cat', 'a'], os.environ), 0);",
        {"a": "1"},
        {"a": "2"},
    ),
    "descriptor": (
        FOLDER + "print(os.read(os.open('a', os.O_RDONLY, dir_fd=d), 9))",
        {"data/a": "1"},
        {"data/a": "2"},
    ),
    "listed descriptor": (FOLDER + "print(os.listdir(d))", {"data/a": ""}, {"data/b": ""}),
    "stat by descriptor": (
        FOLDER + "print(os.stat('a', dir_fd=d).st_size)",
        {"data/a": "1"},
        {"data/a": "22"},
    ),
    "beside": ("print(open('../a.csv').read())", {"../a.csv": "1"}, {"../a.csv": "2"}),
    "beside, asked": (path("Path('../a.csv').exists()"), {}, {"../a.csv": "2"}),
    "beside, by a package": (
        "import numpy\nprint(numpy.loadtxt('../a.csv'))",
        {"../a.csv": "1"},
        {"../a.csv": "2"},
    ),
    "beside, code": (
        "import sys\nsys.path.insert(0, '..')\nimport near\nprint(near.A)",
        {"../near.py": "A = 1"},
        {"../near.py": "A = 2"},
    ),
    "hidden": ("print(open('.cache/a').read())", {".cache/a": "1"}, {".cache/a": "2"}),
    "history": ("print(open('.git/HEAD').read())", {".git/HEAD": "1"}, {".git/HEAD": "2"}),
    "resource": (
        "import importlib.resources as r\nprint(r.files('kit').joinpath('a').read_text())",
        {"kit/__init__.py": "", "kit/a": "1"},
        {"kit/a": "2"},
    ),
    "pkgutil": (
        "import pkgutil\nprint([m.name for m in pkgutil.iter_modules(['kit'])])",
        {"kit/one.py": ""},
        {"kit/two.py": ""},
    ),
    "reload": (
        "import importlib, one\nprint(importlib.reload(one).A)",
        {"one.py": "A = 1"},
        {"one.py": "A = 2"},
    ),
}
POSIX = {"shell", "redirection", "system", "popen", "spawn", "command"}
LINUX = {name for name in CHANGES if "descriptor" in name}


def marked(name: str) -> object:
    mark = linux if name in LINUX else posix if name in POSIX else ()
    return pytest.param(name, marks=mark)


@pytest.mark.parametrize("name", [marked(name) for name in CHANGES])
def test_what_changes_is_seen_and_what_does_not_runs_nothing(project: Project, name: str) -> None:
    code, before, after = CHANGES[name]
    project.write(before)
    old = project.said(code)
    if name in {"glob"}:
        # The first run has made the cache, which such a page sees.
        project.run(code)
    assert not project.ran(code)
    project.write(after)
    new = project.said(code)
    assert new != old
    assert new == project.run(code, fresh=True).result.blocks[0].text


@pytest.mark.parametrize(
    "expression",
    [
        "os.environ.get('MODEL')",
        "os.getenv('MODEL')",
        "os.environ['MODEL'] if 'MODEL' in os.environ else None",
        "os.environb.get(b'MODEL')",
        "os.path.expandvars('$MODEL')",
        "sorted(value for key, value in os.environ.items() if key == 'MODEL')",
        "dict(os.environ).get('MODEL')",
    ],
)
@posix
def test_variable_that_a_page_asks_for_is_seen(
    project: Project, monkeypatch: pytest.MonkeyPatch, expression: str
) -> None:
    code = f"import os\nprint({expression})"
    said = []
    for value in ("", "secret-one", "secret-two", "secret-one"):
        if value:
            monkeypatch.setenv("MODEL", value)
        said.append(project.said(code))
        assert not project.ran(code)
    assert len(set(said)) == 3
    assert said[1] == said[3]


def test_variable_stays_out_of_the_cache_and_others_run_nothing(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os\nassert os.environ['TOKEN'] and os.environ['OMP_NUM_THREADS']"
    monkeypatch.setenv("TOKEN", "very-secret")
    project.run(code)
    kept = b"".join(file.read_bytes() for file in project.folder.rglob("*.json"))
    assert b"very-secret" not in kept
    monkeypatch.setenv("OTHER", "1")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    assert not project.ran(code)
    monkeypatch.setenv("TOKEN", "other")
    assert project.ran(code)


def database(file: Path, value: int) -> None:
    with sqlite3.connect(file) as base:
        base.execute("create table if not exists t(x)")
        base.execute("insert into t values(?)", [value])
    base.close()


@pytest.mark.parametrize("address", ["'d.db'", "'file:d.db?mode=ro', uri=True"])
def test_database_is_seen_and_reading_it_keeps_the_result(project: Project, address: str) -> None:
    code = f"import sqlite3\nbase = sqlite3.connect({address})\n"
    code += "print(base.execute('select sum(x) from t').fetchone())\nbase.close()"
    database(project.folder / "d.db", 1)
    assert project.said(code) == "(1,)"
    assert not project.ran(code)
    database(project.folder / "d.db", 10)
    assert project.said(code) == "(11,)"


WRITES = {
    "append": "f = open('log', 'a'); f.write('x'); f.close(); print(open('log').read())",
    "in place": "f = open('log', 'r+'); f.seek(0, 2); f.write('x'); f.close()\n"
    "print(open('log').read())",
    "descriptor": "import os; f = os.open('log', os.O_RDWR | os.O_APPEND); os.write(f, b'x')\n"
    "print(open('log').read())",
    "database": "import sqlite3; c = sqlite3.connect('n.db')\n"
    "c.execute('create table if not exists t(x)'); c.execute('insert into t values(1)')\n"
    "c.commit(); print(c.execute('select count(*) from t').fetchone())",
    "listed": "import os; print(os.listdir('data'))\n"
    "open(f'data/{len(os.listdir(\"data\"))}', 'w').close()",
}


@pytest.mark.parametrize("name", list(WRITES))
def test_page_that_goes_on_from_what_it_left_is_not_kept(project: Project, name: str) -> None:
    project.write({"log": "", "data/a": ""})
    said = [project.said(WRITES[name]) for _ in range(3)]
    assert len(set(said)) == 3, said


@pytest.mark.parametrize(
    "code",
    [
        "open('new', 'w').write('a'); open('new', 'a').write('b'); print(open('new').read())",
        "import os; os.makedirs('out/deep', exist_ok=True); open('out/deep/a', 'w').close()",
        "f = open('log', 'r+'); print(f.read())",
        "import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n"
        "    open(d + '/a', 'w').write('1')\n    print(os.listdir(d), open(d + '/a').read(),"
        " os.path.exists(d + '/a'), os.path.exists(d + '/b'))",
        "import tempfile\nwith tempfile.NamedTemporaryFile('w+') as f:\n    f.write('a')",
        "import os\nfrom pathlib import Path\nprint(Path('log').resolve().name)",
        "import numpy as np; np.save('made.npy', np.arange(3)); print(np.load('made.npy'))",
        "import sqlite3; c = sqlite3.connect(':memory:'); print(c.execute('select 1').fetchone())",
        "import matplotlib.pyplot as plt; plt.plot([1]); plt.close()",
    ],
)
def test_what_a_page_makes_for_itself_keeps_its_result(project: Project, code: str) -> None:
    project.write({"log": "1"})
    project.run(code)
    project.run(code)
    assert not project.ran(code)


def test_linked_file_is_known_by_what_it_leads_to(project: Project) -> None:
    project.write({"a": "1", "b": "2"})
    (project.folder / "link").symlink_to("a")
    code = "print(open('link').read())"
    assert project.said(code) == "1"
    project.write({"a": "3"})
    assert project.said(code) == "3"
    (project.folder / "link").unlink()
    (project.folder / "link").symlink_to("b")
    assert project.said(code) == "2"


def test_touched_file_that_is_asked_for_runs_nothing(project: Project) -> None:
    project.write({"a": "1"})
    code = path("os.stat('a').st_size, Path('a').exists()")
    project.run(code)
    os.utime(project.folder / "a", (1, 1))
    assert not project.ran(code)


def test_large_file_outside_is_known_by_size_and_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from literate.cache import Digests, dependencies

    monkeypatch.setattr(dependencies, "_LARGE", 4)
    (tmp_path / "root").mkdir()
    (tmp_path / "far").write_text("12345")
    os.utime(tmp_path / "far", ns=(5, 5))
    assert Digests(tmp_path / "root").of("file", "../far") == "5 5"


UNNOTICED = """\
import copy, inspect, os, pickle, shutil
assert pickle.loads(pickle.dumps(os.stat)) is os.stat and copy.copy(os.stat) is os.stat
assert os.stat in os.supports_dir_fd and os.stat in os.supports_follow_symlinks
print(os.stat, os.stat.__name__, type(os.stat).__name__, inspect.signature(os.stat))
class Holder:
    ask = os.stat
Holder().ask('.')
try:
    os.environ['NOT_THERE']
except KeyError as error:
    print(repr(error), len(inspect.trace()))
print(type(os.environ), os.environ.get('NOT_THERE', 5))
for wrong in (lambda: os.stat(), lambda: os.stat([]), lambda: os.stat('a\\0b')):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(error)
"""


@posix
def test_page_does_not_notice_that_it_is_heard(project: Project) -> None:
    said = project.said(UNNOTICED)
    assert "<built-in function stat> stat builtin_function_or_method (path, *," in said
    assert "missing required argument 'path'" in said
    assert "KeyError('NOT_THERE') 2" in said


def test_traceback_of_a_question_shows_no_frame_of_ours(
    run_page: Callable[..., Page],
) -> None:
    page = run_page("```python\nimport os\nos.stat('missing')\n```\n")
    failure = page.result.blocks[0].failure
    assert failure is not None
    assert failure.traceback.count("File ") == 1
