"""The record of GPT-2's run: made by the script, read back, and shown by the page."""

import hashlib
import importlib.util
import json
import math
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import transformers

from attention.gpt2 import Record, load_gpt2, read_record
from literate import pipeline
from literate.claims import Standing, judge
from literate.pipeline import Page

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "record_gpt2.py"
# The page that shows the record.
PAGE = ROOT / "docs" / "chapters" / "trained.md"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("record_gpt2", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path: Path, save_tokenizer: Callable[[Path], int]) -> Path:
    """Random weights of as many layers and heads as GPT-2 has, in the hub's layout."""
    path = tmp_path / "model"
    path.mkdir()
    # Wide random weights, so that maps are uneven: the most digits that a record can have.
    config = transformers.GPT2Config(
        vocab_size=save_tokenizer(path), n_positions=16, n_embd=48, initializer_range=0.3
    )
    torch.manual_seed(3)
    transformers.GPT2LMHeadModel(config).save_pretrained(path)
    return path


@pytest.fixture
def record_path(script: ModuleType, folder: Path, tmp_path: Path) -> Path:
    path = tmp_path / "site" / "docs" / "assets" / "gpt2.json"
    assert script.main(["--source", str(folder), "--out", str(path)]) == 0
    return path


@pytest.fixture
def record(record_path: Path) -> Record:
    return read_record(record_path)


# What the script writes ---------------------------------------------------------


def test_record_holds_what_the_model_gives(record: Record, folder: Path) -> None:
    model = load_gpt2(folder)
    with torch.no_grad():
        logits, weights = model(torch.tensor([record.ids]), layers=range(12))
    assert (record.n_layers, record.n_heads, len(record.tokens)) == (12, 12, 16)
    for layer in range(12):
        for head in range(12):
            got, exact = record.weights(layer, head), weights[layer][0, head]
            assert (got - exact).abs().max() <= 0.0005 + 1e-6
            assert got.triu(1).count_nonzero() == 0
            # Half a thousandth for each of the tokens that a row sees.
            seen = torch.arange(1, 17)
            assert ((got.sum(-1) - 1).abs() <= 0.0005 * seen + 1e-6).all()
    shares = logits[0].softmax(-1)
    for position, best in enumerate(record.predictions):
        assert len(best) == 5
        assert best[0].id == shares[position].argmax()
        assert record.top(position) == best[0].token
        for one in best:
            assert one.probability == pytest.approx(shares[position, one.id].item(), abs=0.00051)


def test_record_is_of_the_sentence_written_twice(record: Record) -> None:
    assert record.text == "The Time Traveller smiled at us. The Time Traveller smiled at us."
    assert "".join(record.tokens) == record.text
    assert record.tokens[9:12] == (" Time", " Trave", "ller")


def test_record_is_small_enough_for_a_page(record_path: Path) -> None:
    assert record_path.stat().st_size < 200_000


def test_record_says_whose_weights_they_were(
    record: Record, folder: Path, script: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (folder / "model.safetensors").read_bytes()
    known = hashlib.sha256(content).hexdigest()
    assert record.sha256 == {"model.safetensors": known}
    assert record.source == "model"  # and no more of the path
    assert not record.published
    assert record.versions["torch"] == torch.__version__
    monkeypatch.setattr(script, "PUBLISHED", known)
    assert script.run(str(folder), download=False)["published"]


def test_same_weights_give_the_same_bytes(
    script: ModuleType, folder: Path, record_path: Path
) -> None:
    before = record_path.read_bytes()
    assert script.main(["--source", str(folder), "--out", str(record_path)]) == 0
    assert record_path.read_bytes() == before
    assert [path.name for path in record_path.parent.iterdir()] == [record_path.name]


def run_script(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_script_reports_progress_on_stderr_and_the_result_on_stdout(
    folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.json"
    done = run_script("--source", str(folder), "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"record: {out}, ")
    assert "other weights than published" in done.stdout
    assert "16 tokens through 12 layers" in done.stderr


def test_script_says_what_it_takes() -> None:
    done = run_script("--help")
    assert done.returncode == 0
    for word in ("--source", "--download", "--out", "docs/assets/gpt2.json"):
        assert word in done.stdout


def test_failed_run_leaves_the_old_record(
    script: ModuleType, folder: Path, record_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = record_path.read_bytes()
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:5000])
    assert script.main(["--source", str(folder), "--out", str(record_path)]) == 1
    assert "cut short" in capsys.readouterr().err
    assert record_path.read_bytes() == before
    assert [path.name for path in record_path.parent.iterdir()] == [record_path.name]


def test_tokenizer_of_another_model_is_refused(
    script: ModuleType, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "merges.txt").write_text("T h\n", "utf-8")
    assert script.main(["--source", str(folder), "--out", str(tmp_path / "o.json")]) == 1
    assert "use GPT-2's" in capsys.readouterr().err
    assert not (tmp_path / "o.json").exists()


def test_weights_that_are_not_finite_are_refused(
    script: ModuleType, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = transformers.GPT2LMHeadModel.from_pretrained(folder)
    with torch.no_grad():
        model.transformer.h[3].attn.c_attn.weight[0, 0] = math.inf
    model.save_pretrained(folder)
    assert script.main(["--source", str(folder), "--out", str(tmp_path / "o.json")]) == 1
    assert "not finite" in capsys.readouterr().err


# What is read back --------------------------------------------------------------


def test_record_that_is_not_there_says_who_makes_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"scripts/record_gpt2\.py"):
        read_record(tmp_path / "gpt2.json")


@pytest.mark.parametrize(
    ("keys", "value", "message"),
    [
        (["format"], 2, "format 2 is not 1"),
        (["scale"], 100, "scale 100"),
        (["text"], 7, "text is not a text"),
        (["published"], "yes", "published is not true or false"),
        (["tokens"], [], "tokens are not texts"),
        (["tokens", 3], 4, "tokens are not texts"),
        (["ids", 0], True, "ids are not 16 whole numbers"),
        (["ids"], [1], "ids are not 16 whole numbers"),
        (["versions", "torch"], 2, "versions are not texts"),
        (["sha256"], [], "sha256 is not an object"),
        (["predictions"], [], "predictions are for 0 positions"),
        (["predictions", 2], [], "no prediction at position 2"),
        (["predictions", 2, 0], ["a", 1], "a prediction at position 2"),
        (["predictions", 2, 0, 2], 1001, "a prediction at position 2"),
        (["predictions", 2, 4, 2], 1000, "position 2 are out of order"),
        (["maps"], [], "maps hold no layer"),
        (["maps", 1], [], "maps hold no layer"),
        (["maps", 1], [[]], "different numbers of heads"),
        (["maps", 1, 2], [], "layer 1, head 2 has not 16 rows"),
        (["maps", 1, 2, 4], [1000], "row 4 of the map of layer 1, head 2 has not 5 numbers"),
        (["maps", 1, 2, 0], [0.5], "row 0 of the map of layer 1, head 2 holds"),
        (["maps", 1, 2, 0], [-1], "row 0 of the map of layer 1, head 2 holds"),
        (["maps", 1, 2, 1], [600, 600], "adds up to 1200 of 1000"),
    ],
)
def test_record_that_is_not_whole_says_what_is_wrong(
    record_path: Path, keys: list[Any], value: Any, message: str
) -> None:
    values = json.loads(record_path.read_text("utf-8"))
    place = values
    for key in keys[:-1]:
        place = place[key]
    assert place[keys[-1]] != value
    place[keys[-1]] = value
    record_path.write_text(json.dumps(values), "utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        read_record(record_path)
    assert str(record_path) in str(caught.value)
    assert "make it again" in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{}", "{"])
def test_file_that_is_no_record_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "gpt2.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="make it again"):
        read_record(path)


def test_key_that_is_missing_is_named(record_path: Path) -> None:
    values = json.loads(record_path.read_text("utf-8"))
    del values["maps"]
    record_path.write_text(json.dumps(values), "utf-8")
    with pytest.raises(ValueError, match="it has no maps"):
        read_record(record_path)


def test_head_or_position_that_does_not_exist_is_refused(record: Record) -> None:
    with pytest.raises(ValueError, match="no layer 12"):
        record.weights(12, 0)
    with pytest.raises(ValueError, match="no head -1"):
        record.weights(0, -1)
    with pytest.raises(ValueError, match="no position 16"):
        record.top(16)


# What the page makes of it --------------------------------------------------------


def run_copy(site: Path) -> Page:
    """Run and check a copy of the page in a site with the project's settings."""
    shutil.copy(ROOT / "mkdocs.yml", site)
    chapter = site / "docs" / "chapters" / PAGE.name
    chapter.parent.mkdir(parents=True)
    shutil.copy(PAGE, chapter)
    found = pipeline.find_site(site)
    [opened] = pipeline.find_chapters([chapter], found)
    [page] = pipeline.run_chapters([opened], found, pipeline.Progress(print))
    return page


def standings(page: Page) -> dict[str, Standing]:
    """What became of each claim on the resource, by its expression."""
    claims = page.chapter.document.claims
    return {c.expression: judge(c, page.result).standing for c in claims if c.needs == "gpt2"}


def needy(page: Page) -> set[int]:
    """The blocks that need the record."""
    return {b.index for b in page.chapter.document.blocks if b.options.needs == "gpt2"}


def test_page_runs_through_with_a_record_and_judges_it(record_path: Path) -> None:
    page = run_copy(record_path.parents[2])
    assert page.result.failed is None
    assert needy(page)
    assert set(page.result.blocks) == {b.index for b in page.chapter.document.blocks}
    judged = standings(page)
    # These hold for any weights; all else on the page is about trained ones.
    true = {e for e, standing in judged.items() if standing is Standing.TRUE}
    assert {"len(gpt2_run.tokens) == 16", "gpt2_run.ids[1:8] == gpt2_run.ids[9:]"} <= true
    assert set(judged.values()) <= {Standing.TRUE, Standing.FALSE}
    reported = {
        "gpt2_back.diagonal(-1).min() > 0.995",
        "gpt2_next[9, 2]",
        "gpt2_next[10, 3]",
        "gpt2_next[11, 4]",
        'gpt2_run.top(9) == " Trave"',
        'gpt2_run.top(10) == "ller"',
        'gpt2_run.top(11) == " was"',
    }
    assert {e for e in reported if judged[e] is Standing.FALSE} == reported
    said = [str(finding) for finding in page.findings]
    assert any("0.67 quoted" in text and "gpt2_next[9, 2]" in text for text in said)
    assert len(said) == sum(standing is Standing.FALSE for standing in judged.values())


def test_page_without_a_record_checks_none_of_its_numbers(tmp_path: Path) -> None:
    page = run_copy(tmp_path)
    assert page.findings == ()
    assert set(standings(page).values()) == {Standing.UNCHECKED}
    assert not needy(page) & set(page.result.blocks)
    assert "scripts/record_gpt2.py" in page.result.missing["gpt2"]


def test_page_holds_if_the_record_is_as_reported(record_path: Path) -> None:
    values = json.loads(record_path.read_text("utf-8"))
    for i in range(1, 16):
        values["maps"][4][11][i] = [0] * (i - 1) + [1000, 0]
    for i, share in ((9, 670), (10, 760), (11, 720)):
        values["maps"][5][1][i] = [1000 - share, *[0] * i]
        values["maps"][5][1][i][i - 7] = share
    for i, token in ((9, " Trave"), (10, "ller"), (11, " was")):
        values["predictions"][i] = [[token, 1, 500]]
    record_path.write_text(json.dumps(values), "utf-8")
    page = run_copy(record_path.parents[2])
    assert page.findings == ()
    assert set(standings(page).values()) == {Standing.TRUE}
