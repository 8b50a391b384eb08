"""The project's own tools: the pins, the environment, make, the build, the gate."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


def load_script(name: str) -> ModuleType:
    """Import a file of scripts/, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The pins


def requirement_lines() -> list[str]:
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    lines = [re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines()]
    return [line for line in lines if line]


def pins() -> list[Requirement]:
    return [Requirement(line) for line in requirement_lines()[:-1]]


def direct_pins() -> set[str]:
    """Return the names of the part of requirements.txt whose lines give a reason."""
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    lines = re.findall(r"^([\w-]+)==.*\s#\s", text, flags=re.MULTILINE)
    return {canonicalize_name(name) for name in lines}


def declared() -> list[Requirement]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"].values()
    return [Requirement(line) for line in sum(extras, project["dependencies"])]


def test_requirements_start_with_torch_and_end_with_the_project() -> None:
    lines = requirement_lines()
    assert lines[0].startswith("torch==")
    assert lines[-1] == "-e ."


def test_every_requirement_is_pinned_to_one_version() -> None:
    for pin in pins():
        specifiers = list(pin.specifier)
        assert len(specifiers) == 1, pin
        assert specifiers[0].operator == "==", pin
        assert "*" not in specifiers[0].version, pin


def test_no_requirement_is_pinned_twice_for_one_python() -> None:
    for version in ("3.11.2", "3.11.9", "3.12.1", "3.13.0"):
        environment = {"python_full_version": version, "python_version": version[:4]}
        names = [
            canonicalize_name(pin.name)
            for pin in pins()
            if pin.marker is None or pin.marker.evaluate(environment)
        ]
        assert sorted(names) == sorted(set(names))


def test_direct_pins_are_those_that_pyproject_names() -> None:
    assert {canonicalize_name(need.name) for need in declared()} == direct_pins()


def test_pins_lie_within_what_pyproject_allows() -> None:
    allowed = {canonicalize_name(need.name): need.specifier for need in declared()}
    for pin in pins():
        (specifier,) = pin.specifier
        within = allowed.get(canonicalize_name(pin.name))
        assert within is None or within.contains(specifier.version), pin


def needs_of(name: str) -> Iterator[str]:
    for line in importlib.metadata.requires(name) or []:
        need = Requirement(line)
        if need.marker is None or need.marker.evaluate({"extra": ""}):
            yield canonicalize_name(need.name)


def test_all_that_the_pinned_packages_need_is_pinned() -> None:
    pinned = {
        canonicalize_name(pin.name) for pin in pins() if pin.marker is None or pin.marker.evaluate()
    }
    # Only PyTorch's CUDA build needs these; requirements.txt says why they stay out.
    cuda = re.compile(r"nvidia-|cuda-|triton")
    needed = {need for name in pinned for need in needs_of(name)}
    assert {need for need in needed - pinned if not cuda.match(need)} == set()


# The environment


@pytest.fixture
def make_env() -> ModuleType:
    return load_script("make_env")


def test_too_old_python_is_told_so_in_one_sentence(
    make_env: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    require = make_env.require_python
    monkeypatch.setattr(make_env, "require_python", lambda: require((3, 10, 13), "python3.10"))
    assert make_env.main([]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert "Python 3.11 or newer is needed" in err
    assert "python3.10 is Python 3.10.13" in err


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_missing_venv_module_names_the_package_that_has_it(
    make_env: ModuleType, missing: str
) -> None:
    with pytest.raises(make_env.SetupError, match=r"python3\.\d+-venv"):
        make_env.require_venv(lambda name: None if name == missing else object())


def test_folder_that_is_no_environment_is_left_alone(
    make_env: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letter.txt").write_text("dear", encoding="utf-8")
    assert make_env.main(["--venv", str(tmp_path)]) == 1
    assert "move it away" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


class Runs:
    """Stands in for subprocess.run: notes each command, and ends as it is told."""

    def __init__(self, status: int = 0, error: BaseException | None = None) -> None:
        self.commands: list[list[str]] = []
        self.status = status
        self.error = error

    def __call__(self, command: list[str], **_: object) -> object:
        self.commands.append(command)
        if self.error is not None:
            raise self.error
        return subprocess.CompletedProcess(command, self.status)


@pytest.mark.parametrize(
    ("runs", "status"), [(Runs(status=1), 1), (Runs(error=KeyboardInterrupt()), 130)]
)
def test_install_that_fails_or_is_interrupted_leaves_no_stamp(
    make_env: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    runs: Runs,
    status: int,
) -> None:
    stamp = tmp_path / make_env.STAMP
    stamp.write_text("from the time before", encoding="utf-8")
    monkeypatch.setattr(make_env, "make_venv", lambda folder: None)
    monkeypatch.setattr(make_env.subprocess, "run", runs)
    assert make_env.main(["--venv", str(tmp_path)]) == status
    assert runs.commands
    assert not stamp.exists()


def test_stamp_stands_after_an_install(
    make_env: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(make_env.subprocess, "run", Runs())
    make_env.install(tmp_path, "")
    assert (tmp_path / make_env.STAMP).exists()


def test_torch_index_serves_the_pinned_torch_and_nothing_else(
    make_env: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runs = Runs()
    monkeypatch.setattr(make_env.subprocess, "run", runs)
    make_env.install(tmp_path, "https://index.invalid")
    torch, everything = runs.commands
    assert requirement_lines()[0] in torch
    assert {"--no-deps", "https://index.invalid"} <= set(torch)
    assert everything[-2:] == ["-r", "requirements.txt"]
    assert "https://index.invalid" not in everything


# make


@pytest.fixture
def make(tmp_path: Path) -> str:
    """Return the path of make; a copy of the Makefile stands in ``tmp_path``."""
    program = shutil.which("make")
    if program is None:
        pytest.skip("make is not installed")
    for name in ("Makefile", "requirements.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "make_env.py", tmp_path / "scripts")
    return program


def run_make(
    make: str, folder: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    # Without what a make around these tests would hand down.
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "MFLAGS", "PYTHON", "TORCH_INDEX", "ARGS"))
    }
    return subprocess.run(
        [make, *arguments],
        cwd=folder,
        env=inherited | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_help_lists_every_target(make: str, tmp_path: Path) -> None:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.*)$", text, flags=re.MULTILINE)
    # A target with a dash is a part of another.
    targets = {name for name in phony.split() if "-" not in name} - {"help"}
    shown = run_make(make, tmp_path).stdout
    assert set(re.findall(r"^make (\w+) ", shown, flags=re.MULTILINE)) == targets
    assert targets >= {"site", "serve", "test", "check", "format", "clean"}


@posix
@pytest.mark.parametrize("target", ["site", "serve", "test", "check", "format"])
def test_without_any_python_make_says_what_is_needed(
    make: str, tmp_path: Path, target: str
) -> None:
    run = run_make(make, tmp_path, target, PATH=str(tmp_path))
    assert run.returncode != 0
    assert "Python 3.11 or newer is needed" in run.stderr.splitlines()[0]
    assert not (tmp_path / ".venv").exists()


@posix
def test_python_that_is_none_is_refused_by_name(make: str, tmp_path: Path) -> None:
    run = run_make(make, tmp_path, "site", "PYTHON=false")
    assert run.returncode != 0
    assert "PYTHON=false is not a Python 3.11 or newer" in run.stderr.splitlines()[0]


@pytest.mark.parametrize("changed", ["requirements.txt", "pyproject.toml"])
def test_environment_is_made_again_when_its_inputs_change(
    make: str, tmp_path: Path, changed: str
) -> None:
    stamp = tmp_path / ".venv" / "installed"
    stamp.parent.mkdir()
    stamp.touch()
    later = stamp.stat().st_mtime + 10
    os.utime(stamp, (later, later))
    assert run_make(make, tmp_path, "-q", ".venv/installed").returncode == 0
    os.utime(tmp_path / changed, (later + 10, later + 10))
    assert run_make(make, tmp_path, "-q", ".venv/installed").returncode == 1


# The build


HOOK = """
import os, time
from mkdocs.exceptions import Abort

def on_pre_build(config):
    stop = Abort("as told")
    stop.exit_code = int(os.environ.get("TOLD_STATUS", "0"))
    if stop.exit_code:
        raise stop
    time.sleep(float(os.environ.get("TOLD_SECONDS", "0")))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a small site of two pages, with the build script and an old build."""
    folder = tmp_path / "project"
    for name in ("scripts", "docs", "site"):
        (folder / name).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "build.py", folder / "scripts")
    config = "site_name: Small\ntheme: mkdocs\nplugins: []\nhooks: [hook.py]\n"
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    (folder / "hook.py").write_text(HOOK, encoding="utf-8")
    (folder / "docs" / "index.md").write_text("# Home\n", encoding="utf-8")
    (folder / "docs" / "two.md").write_text("# Two\n", encoding="utf-8")
    (folder / "site" / "index.html").write_text("old", encoding="utf-8")
    return folder


def start_build(project: Path, *arguments: str, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(project / "scripts" / "build.py"), *arguments],
        cwd=project.parent,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_build(project: Path, *arguments: str, **environment: str) -> tuple[int, str, str]:
    with start_build(project, *arguments, **environment) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def old_site_stands(project: Path) -> bool:
    """Whether the old build, and nothing half-built, is there."""
    left = [path.name for path in project.iterdir() if path.name.startswith(".site-")]
    index = (project / "site" / "index.html").read_text(encoding="utf-8")
    return index == "old" and not left


def test_build_takes_the_old_sites_place_and_says_where(project: Path) -> None:
    status, out, err = run_build(project)
    assert status == 0, err
    index = project / "site" / "index.html"
    assert re.fullmatch(rf"site: {re.escape(str(index))}, 2 pages, \d+\.\d s\n", out)
    assert "Home" in index.read_text(encoding="utf-8")
    assert not [path for path in project.iterdir() if path.name.startswith(".site-")]


@pytest.mark.parametrize("told", ["1", "3", "4"])
def test_failed_build_keeps_the_old_site_and_hands_on_the_status(project: Path, told: str) -> None:
    status, out, _ = run_build(project, TOLD_STATUS=told)
    assert (status, out) == (int(told), "")
    assert old_site_stands(project)


def test_warning_fails_the_build(project: Path) -> None:
    (project / "docs" / "two.md").write_text("[lost](lost.md)\n", encoding="utf-8")
    status, _, err = run_build(project)
    assert status == 1
    assert "lost.md" in err
    assert old_site_stands(project)


@posix
@pytest.mark.parametrize("told", [signal.SIGINT, signal.SIGTERM])
def test_build_that_is_told_to_end_keeps_the_old_site(project: Path, told: signal.Signals) -> None:
    with start_build(project, TOLD_SECONDS="60") as process:
        deadline = time.monotonic() + 30
        while old_site_stands(project) and time.monotonic() < deadline:
            time.sleep(0.05)  # until the temporary folder is there
        process.send_signal(told)
        process.communicate(timeout=30)
    assert process.returncode == 128 + told
    assert old_site_stands(project)


@posix
def test_built_site_is_readable_by_others(project: Path) -> None:
    target = project.parent / "public"
    before = os.umask(0o022)
    try:
        status, _, err = run_build(project, "--site-dir", str(target))
    finally:
        os.umask(before)
    assert status == 0, err
    assert target.stat().st_mode & 0o777 == 0o755


def test_folder_that_is_no_site_is_refused_as_target(project: Path) -> None:
    letters = project.parent / "letters"
    letters.mkdir()
    (letters / "dear.txt").write_text("dear", encoding="utf-8")
    for target in (letters, letters / "dear.txt", project, project.parent):
        status, out, err = run_build(project, "--site-dir", str(target))
        assert (status, out) == (2, "")
        assert "choose another folder" in err
    assert (letters / "dear.txt").read_text(encoding="utf-8") == "dear"


# The gate and the tree


def test_ci_runs_the_tests_and_then_all_the_rest_of_check() -> None:
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (parts,) = re.findall(r"^check: (.*)$", makefile, flags=re.MULTILINE)
    called = " ".join(re.findall(r"^step make (.*)$", ci, flags=re.MULTILINE)).split()
    assert called[0] == "test"
    assert sorted(called) == sorted(parts.split())
    assert "set -euo pipefail" in ci


def git(*arguments: str) -> str:
    """Return what git says; skip where there is no git or no checkout."""
    program = shutil.which("git")
    if program is None or not (ROOT / ".git").exists():
        pytest.skip("needs git and a checkout")
    run = subprocess.run(
        [program, *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return run.stdout


def test_fixtures_keep_their_line_ends_and_other_text_has_lf() -> None:
    paths = ["tests/literate/cases/crlf.md", "docs/index.md"]
    answer = git("check-attr", "text", "eol", "--", *paths)
    assert "crlf.md: text: unset" in answer
    assert "docs/index.md: eol: lf" in answer


@posix
def test_ci_script_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


# Written in pieces, so that this file does not find itself.
MACHINE_PATH = re.compile(r"(?<![\w.~$})-])/(?:wo[r]k|tm[p]|ro[o]t|ho[m]e|Us[e]rs)/\w")
PACKAGE_HOST = re.compile(
    r"py[p]i\.org|pythonh[o]sted\.org|npm[j]s\.(?:org|com)|deb\.d[e]bian\.org"
    r"|download\.pytorch\.org(?!/whl/cpu\b)"
)


def tracked_texts() -> Iterator[tuple[str, str]]:
    for name in git("ls-files", "-z").split("\0"):
        path = ROOT / name
        if not name or not path.is_file():
            continue
        content = path.read_bytes()
        if b"\0" not in content:
            yield name, content.decode("utf-8", errors="replace")


@pytest.mark.parametrize("pattern", [MACHINE_PATH, PACKAGE_HOST])
def test_no_file_names_a_machine_or_a_package_host(pattern: re.Pattern[str]) -> None:
    found = [
        f"{name}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()}"
        for name, text in tracked_texts()
        for match in pattern.finditer(text)
    ]
    assert found == []


@pytest.mark.parametrize("text", ["CD /TMP/X", "'/WORK/MAIN'", "(/HOME/A)"])
def test_pattern_knows_a_machine_path(text: str) -> None:
    assert MACHINE_PATH.search(text.lower())


@pytest.mark.parametrize("text", ["HTTPS://A.EXAMPLE/HOME/B", "./WORK/X"])
def test_pattern_knows_what_is_no_machine_path(text: str) -> None:
    assert not MACHINE_PATH.search(text.lower())
