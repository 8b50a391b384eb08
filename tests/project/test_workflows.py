"""What may run on the code host, and with which rights."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def load(path: Path) -> dict[Any, Any]:
    """Read a workflow; YAML takes its key ``on`` for a truth value."""
    loaded = yaml.safe_load(path.read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def jobs() -> dict[str, dict[str, Any]]:
    return {name: job for path in FILES for name, job in load(path)["jobs"].items()}


def steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    return list(job["steps"])


def test_there_is_a_workflow() -> None:
    assert FILES


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_action_is_pinned_by_commit_with_its_version_behind(path: Path) -> None:
    uses = re.findall(r"\buses: *(.*)$", path.read_text("utf-8"), flags=re.MULTILINE)
    assert uses
    loose = [
        use for use in uses if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use)
    ]
    assert not loose


def test_one_action_has_one_pin() -> None:
    uses = {step["uses"] for job in jobs().values() for step in steps(job) if "uses" in step}
    names = [use.split("@")[0] for use in uses]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_workflow_has_no_rights_but_those_that_its_jobs_ask_for(path: Path) -> None:
    workflow = load(path)
    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())


def test_only_the_publishing_job_may_write_and_only_pages() -> None:
    may_write = {
        name: job["permissions"]
        for name, job in jobs().items()
        if "write" in job["permissions"].values()
    }
    assert may_write == {"publish": {"pages": "write", "id-token": "write"}}
    assert jobs()["publish"]["environment"]["name"] == "github-pages"


def test_publishing_job_runs_no_code_of_the_project() -> None:
    (step,) = steps(jobs()["publish"])
    assert step["uses"].startswith("actions/deploy-pages@")


def test_site_is_published_only_of_what_passed_the_gate() -> None:
    assert set(jobs()["publish"]["needs"]) == {"gate", "site"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_workflow_sees_a_secret(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.search(r"\bsecrets\b|github\.token|GITHUB_TOKEN", text)
    assert not {"pull_request_target", "workflow_run"} & set(load(path)[True])


def test_gate_runs_on_pull_requests_and_on_main() -> None:
    workflow = load(ROOT / ".github" / "workflows" / "gate.yml")
    assert workflow[True] == {"pull_request": None, "push": {"branches": ["main"]}}
    gate = workflow["jobs"]["gate"]
    assert "if" not in gate
    assert [step["run"] for step in steps(gate) if "run" in step] == [".ci/run"]


def test_pull_request_neither_fetches_weights_nor_publishes() -> None:
    for name, job in jobs().items():
        fetches = any("--download" in step.get("run", "") for step in steps(job))
        assert not fetches or job["if"] == "github.event_name == 'push'", name
    assert jobs()["site"]["if"] == "github.event_name == 'push'"


def test_checkout_leaves_no_credentials_and_every_job_has_a_limit() -> None:
    for name, job in jobs().items():
        assert 0 < job["timeout-minutes"] <= 60, name
        for step in steps(job):
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False, name


def test_notebooks_install_the_pinned_versions_and_the_published_commit() -> None:
    [words] = [
        step["env"]["NOTEBOOK_INSTALL"].split()
        for job in jobs().values()
        for step in steps(job)
        if "NOTEBOOK_INSTALL" in step.get("env", {})
    ]
    pins = (ROOT / "requirements.txt").read_text("utf-8").split()
    assert set(words[:-5]) < set(pins)
    own = "attention-slowly@git+https://github.com/${{ github.repository }}@${{ github.sha }}"
    assert " ".join(words).endswith(own)
