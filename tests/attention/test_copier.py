"""Tests of the copier: its texts, model, weights, scores, experiments and training."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from torch import Tensor

from attention import (
    WORDS,
    Copier,
    CopierConfig,
    ablate,
    copy_accuracy,
    decode,
    draw_repeated,
    encode,
    induction_scores,
    load_copier,
    load_record,
    previous_token_scores,
    without_head,
)
from attention.copier import record as records
from attention.copier import weights as files
from attention.copier.texts import draw_training_texts
from attention.copier.training import (
    TEST_PERIOD,
    TEST_SEED,
    TEST_TEXTS,
    Settings,
    examine,
    measure_periods,
    train,
)

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "train_copier.py"
SENTENCE = "my old cat sat by the small door"
SMALL = CopierConfig(emb_dim=8, context_length=16)
SHORT = Settings(
    steps=60, batch_size=16, learning_rate=3e-2, warm_up=5, longest=8, early=0, seldom=30
)


@pytest.fixture(scope="module")
def copier() -> Copier:
    """The trained copier that comes with the package."""
    return load_copier()


def run(copier: Copier, ids: Tensor) -> tuple[Tensor, list[Tensor]]:
    with torch.no_grad():
        logits, weights = copier(ids, return_weights=True)
    return logits, weights


# Words and texts.


def test_vocabulary_has_64_different_words() -> None:
    assert len(WORDS) == len(set(WORDS)) == CopierConfig().n_words == 64
    assert all(re.fullmatch("[a-z]+", word) for word in WORDS)


def test_decoding_undoes_encoding() -> None:
    assert decode(encode(SENTENCE)[0]) == SENTENCE.split()
    assert torch.equal(encode(WORDS), torch.arange(64)[None])


@pytest.mark.parametrize("text", ["", []])
def test_text_without_words_is_refused(text: Any) -> None:
    with pytest.raises(ValueError, match="no word"):
        encode(text)


def test_unknown_words_are_named() -> None:
    with pytest.raises(ValueError, match="does not know 'kettle', 'the cat'"):
        encode(["the", "kettle", "the cat"])


@given(period=st.integers(1, 64), seed=st.integers(0, 2**31))
def test_repeated_texts_hold_each_word_exactly_twice(period: int, seed: int) -> None:
    before = torch.get_rng_state()
    ids = draw_repeated(3, period, seed)
    assert ids.shape == (3, 2 * period)
    assert torch.equal(ids[:, :period], ids[:, period:])
    for row in ids:
        assert (row.unique(return_counts=True)[1] == 2).all()
    assert torch.equal(ids, draw_repeated(3, period, seed))
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("period", [0, 65])
def test_period_without_such_a_stretch_is_refused(period: int) -> None:
    with pytest.raises(ValueError, match=f"period={period} lies outside 1 to 64"):
        draw_repeated(1, period, 0)


@given(
    shortest=st.integers(1, 8),
    spread=st.integers(0, 8),
    room=st.integers(0, 16),
    seed=st.integers(0, 2**31),
)
def test_training_texts_repeat_themselves_from_the_second_copy_on(
    shortest: int, spread: int, room: int, seed: int
) -> None:
    longest = shortest + spread
    length = 2 * longest + room
    generator = torch.Generator().manual_seed(seed)
    ids, predictable = draw_training_texts(8, length, range(shortest, longest + 1), generator)
    assert ids.shape == (8, length + 1)
    assert predictable.shape == (8, length)
    for row, known in zip(ids.tolist(), predictable.tolist(), strict=True):
        first = known.index(True)
        assert all(known[first:])
        periods = [
            period
            for period in range(shortest, longest + 1)
            if first + period <= length
            and all(row[t] == row[t - period] for t in range(first, length + 1))
        ]
        assert periods


@pytest.mark.parametrize("periods", [range(4, 10), range(0, 3), range(3, 3)])
def test_periods_that_do_not_fit_twice_are_refused(periods: range) -> None:
    with pytest.raises(ValueError, match="fit twice into 16 words; choose from 1 to 8"):
        draw_training_texts(1, 16, periods, torch.Generator())


# The model.


def test_shapes_are_those_of_the_docstring() -> None:
    config = CopierConfig(n_words=10, emb_dim=12, n_heads=3, n_layers=4, context_length=9)
    logits, weights = run(Copier(config), torch.randint(10, (2, 7)))
    assert logits.shape == (2, 7, 10)
    assert [tuple(layer.shape) for layer in weights] == [(2, 3, 7, 7)] * 4
    torch.testing.assert_close(weights[3].sum(-1), torch.ones(2, 3, 7))


def test_logits_are_the_same_with_and_without_weights(copier: Copier) -> None:
    ids = encode(SENTENCE)
    with torch.no_grad():
        assert torch.equal(copier(ids), run(copier, ids)[0])


def test_later_word_leaves_earlier_predictions_unchanged(copier: Copier) -> None:
    ids = encode(SENTENCE)
    changed = ids.clone()
    changed[0, 5] = WORDS.index("fox")
    before, after = run(copier, ids)[0], run(copier, changed)[0]
    assert torch.equal(before[:, :5], after[:, :5])
    assert not torch.equal(before[:, 5:], after[:, 5:])


def test_layers_add_to_what_was_there() -> None:
    """With nothing found by attention, the word and its position are left."""
    copier = Copier(SMALL)
    with torch.no_grad():
        for layer in copier.layers:
            layer.get_parameter("proj.weight").zero_()
            layer.get_parameter("proj.bias").zero_()
        ids = torch.tensor([[3, 1, 3]])
        x = copier.token.weight[ids] + copier.position.weight[:3]
        expected = copier.to_words(copier.final_norm(x))
        torch.testing.assert_close(copier(ids), expected)


@pytest.mark.parametrize("shape", [(5,), (1, 17), (1, 0), (1, 2, 3)])
def test_ids_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    text = f"ids of shape {shape} is not (B, T) with T from 1 to 16"
    with pytest.raises(ValueError, match=f"^{re.escape(text)}"):
        Copier(SMALL)(torch.zeros(shape, dtype=torch.long))


@pytest.mark.parametrize("number", [-1, 64])
def test_numbers_of_no_word_are_refused(number: int) -> None:
    with pytest.raises(ValueError, match="words are numbered from 0 to 63"):
        Copier(SMALL)(torch.tensor([[3, number]]))


def test_sizes_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="n_layers=0 is not a positive int"):
        CopierConfig(n_layers=0)


# The scores.


def shifted(T: int, shift: int) -> Tensor:
    """A head that looks back by ``shift``; where it cannot, at position 0."""
    places = (torch.arange(T) - shift).clamp(min=0)
    return torch.eye(T)[places].expand(2, 1, T, T)


@pytest.mark.parametrize("P", [2, 5])
def test_scores_are_one_for_the_head_they_describe_and_zero_for_the_other(P: int) -> None:
    weights = [shifted(2 * P, 1), shifted(2 * P, P - 1)]
    previous, induction = previous_token_scores(weights), induction_scores(weights)
    assert previous.shape == induction.shape == (2, 1)
    assert previous[0, 0] == induction[1, 0] == 1
    assert induction[0, 0] == (P == 2)  # with two words, both look back by one
    if P == 5:
        # Of nine rows only the first looks one back: it can go no further.
        assert previous[1, 0] == pytest.approx(1 / 9)


def test_scores_are_what_slow_loops_give(copier: Copier) -> None:
    P = 6
    _, weights = run(copier, draw_repeated(4, P, 3))
    for layer in range(2):
        for head in range(2):
            w = weights[layer][:, head].double().tolist()
            previous = [m[t][t - 1] for m in w for t in range(1, 2 * P)]
            induction = [m[t][t - P + 1] for m in w for t in range(P, 2 * P)]
            for scores, cells in (
                (previous_token_scores(weights), previous),
                (induction_scores(weights), induction),
            ):
                assert scores[layer, head].item() == pytest.approx(
                    sum(cells) / len(cells), abs=1e-6
                )


class Constant(torch.nn.Module):
    """Always predicts the same word."""

    def forward(self, ids: Tensor) -> Tensor:
        return torch.eye(64)[7].expand(*ids.shape, 64)


def test_accuracy_counts_the_words_of_the_second_copy() -> None:
    ids = torch.tensor([[7, 1, 2, 3] * 2, [4, 5, 6, 8] * 2])
    assert copy_accuracy(Constant(), ids) == 1 / 8  # type: ignore[arg-type]


# What was trained.


def test_weights_are_small_enough_for_the_repository() -> None:
    assert files.FILE.stat().st_size < 300_000


def test_recorded_figures_are_those_of_the_weights(copier: Copier) -> None:
    record = load_record()
    assert CopierConfig(**record.sizes) == copier.config
    assert record.parameters == sum(p.numel() for p in copier.parameters())
    settings = Settings(**record.settings)  # type: ignore[arg-type]
    assert settings == Settings(), "the record is of other settings than the script's"
    assert record.final.step == settings.steps

    point = examine(copier, settings, settings.steps)
    assert record.final.loss == pytest.approx(point.loss, abs=2e-4)
    assert record.final.accuracy == pytest.approx(point.accuracy, abs=2e-3)
    for name in ("previous_token", "induction"):
        recorded = torch.tensor(getattr(record.final, name))
        measured = torch.tensor(getattr(point, name))
        torch.testing.assert_close(recorded, measured, rtol=0, atol=1e-3)
    assert record.accuracy == pytest.approx(measure_periods(copier), abs=2e-3)


def test_both_kinds_of_head_are_clean_and_copying_succeeds(copier: Copier) -> None:
    _, weights = run(copier, draw_repeated(TEST_TEXTS, TEST_PERIOD, TEST_SEED + 1))
    assert previous_token_scores(weights)[0].max() >= 0.95
    assert induction_scores(weights)[1].max() >= 0.95
    for period in range(4, 17):
        ids = draw_repeated(TEST_TEXTS, period, TEST_SEED + 2)
        assert copy_accuracy(copier, ids) >= 0.99, period


def test_untrained_copier_knows_nothing() -> None:
    ids = draw_repeated(TEST_TEXTS, TEST_PERIOD, TEST_SEED)
    assert copy_accuracy(Copier(CopierConfig()).eval(), ids) < 0.1


# Heads switched off.


def test_head_switched_off_hands_nothing_on(copier: Copier) -> None:
    ids = encode(SENTENCE)
    kept = without_head(copier, 0, 1)
    x = copier.norms[0](copier.token(ids) + copier.position(torch.arange(8)))
    full, rest = copier.layers[0](x), kept.layers[0](x)
    D = 32
    with torch.no_grad():
        values = copier.layers[0].get_submodule("qkv")(x)[..., 2 * 64 + D :]
        _, weights = copier.layers[0](x, return_weights=True)
        proj = copier.layers[0].get_parameter("proj.weight")[:, D:]
        part = weights[:, 1] @ values @ proj.T
    torch.testing.assert_close(full - rest, part, rtol=0, atol=1e-5)


def test_switching_off_leaves_the_model_as_it_was(copier: Copier) -> None:
    before = {name: value.clone() for name, value in copier.state_dict().items()}
    ablate(copier, draw_repeated(2, 4, 0))
    for name, value in copier.state_dict().items():
        assert torch.equal(value, before[name])


def test_induction_falls_apart_without_the_previous_token_head_and_no_other(
    copier: Copier,
) -> None:
    ids = draw_repeated(TEST_TEXTS, TEST_PERIOD, TEST_SEED)
    _, weights = run(copier, ids)
    previous = divmod(int(previous_token_scores(weights).argmax()), 2)
    induction = divmod(int(induction_scores(weights).argmax()), 2)
    assert previous[0] == 0
    assert induction[0] == 1

    results = ablate(copier, ids)
    assert [(result.layer, result.head) for result in results] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    for result in results:
        left = result.induction[induction]
        if (result.layer, result.head) == previous:
            assert left < 0.2
            assert result.accuracy < 0.5
        else:
            assert left > 0.9


@pytest.mark.parametrize(("layer", "head"), [(2, 0), (0, 2), (-1, 0), (0, -1)])
def test_head_that_is_not_there_cannot_be_switched_off(
    copier: Copier, layer: int, head: int
) -> None:
    with pytest.raises(ValueError, match=f"no head {head} in layer {layer}"):
        without_head(copier, layer, head)


# Files that are not what they should be.


def test_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "none.safetensors"
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: cannot be read"):
        load_copier(path)


@pytest.mark.parametrize("size", [0, 7, 300, 100_000, -1])
def test_truncated_file_is_named(tmp_path: Path, size: int) -> None:
    path = tmp_path / "cut.safetensors"
    path.write_bytes(files.FILE.read_bytes()[:size])
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: no whole safetensors file"):
        load_copier(path)


def drop(state: dict[str, Tensor]) -> None:
    del state["token.weight"]


def rename(state: dict[str, Tensor]) -> None:
    state["wte.weight"] = state.pop("token.weight")


def widen(state: dict[str, Tensor]) -> None:
    state["token.weight"] = torch.zeros(64, 65)


def halve(state: dict[str, Tensor]) -> None:
    state["token.weight"] = state["token.weight"].half()


def spoil(state: dict[str, Tensor]) -> None:
    state["token.weight"][3, 4] = torch.nan


@pytest.mark.parametrize(
    ("damage", "text"),
    [
        (drop, "token.weight is missing; python"),
        (rename, "token.weight is missing; wte.weight is unknown; python"),
        (widen, "token.weight is (64, 65) float32, not (64, 64) float32; python"),
        (halve, "token.weight is (64, 64) float16, not (64, 64) float32; python"),
        (spoil, "token.weight holds numbers that are not finite; python"),
    ],
)
def test_tensors_of_another_model_are_named(tmp_path: Path, damage: Any, text: str) -> None:
    state = load_file(files.FILE)
    damage(state)
    path = tmp_path / "other.safetensors"
    save_file(state, path)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{path}: {text}')}"):
        load_copier(path)


def test_file_does_not_fit_other_sizes() -> None:
    with pytest.raises(ValueError, match=re.escape("position.weight is (48, 64)")):
        load_copier(config=CopierConfig(context_length=32))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"checkpoints": [], "accuracy": {}}'])
def test_record_that_is_none_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "copier.json"
    path.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: no record of a training"):
        load_record(path)


# Training.


def test_short_training_lowers_the_loss_and_repeats_itself() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    first, record = train(SHORT, SMALL)
    second, again = train(SHORT, SMALL)
    assert torch.equal(before, torch.get_rng_state())
    assert [point.step for point in record.checkpoints] == [0, 30, 60]
    assert record.final.loss < record.checkpoints[0].loss - 0.1
    assert record.checkpoints == again.checkpoints
    for one, two in zip(first.parameters(), second.parameters(), strict=True):
        assert torch.equal(one, two)


def test_another_seed_gives_another_training() -> None:
    one = Settings(steps=2, batch_size=4, longest=8)
    other = Settings(seed=1, steps=2, batch_size=4, longest=8)
    assert train(one, SMALL)[1].final != train(other, SMALL)[1].final


def test_record_comes_back_from_its_file_to_four_decimals(tmp_path: Path) -> None:
    _, record = train(Settings(steps=2, batch_size=4, longest=8), SMALL)
    path = tmp_path / "copier.json"
    records.save_record(record, path)
    loaded = load_record(path)
    assert loaded.settings == record.settings
    assert loaded.accuracy == pytest.approx(record.accuracy, abs=5.1e-5)
    assert loaded.final.loss == pytest.approx(record.final.loss, abs=5.1e-5)
    records.save_record(loaded, path.with_name("again.json"))
    assert path.read_bytes() == path.with_name("again.json").read_bytes()


def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_script_says_what_it_takes() -> None:
    done = call("--help")
    assert done.returncode == 0
    assert "--steps" in done.stdout
    assert "--seed" in done.stdout


def test_script_writes_weights_and_record(tmp_path: Path) -> None:
    done = call("--steps", "2", "--seed", "4", "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "step     2  loss" in done.stderr
    assert str(tmp_path / "copier.safetensors") in done.stdout

    copier = load_copier(tmp_path / "copier.safetensors")
    record = load_record(tmp_path / "copier.json")
    assert record.settings["seed"] == 4
    assert json.loads((tmp_path / "copier.json").read_text("utf-8"))["versions"] == record.versions
    ids = draw_repeated(TEST_TEXTS, TEST_PERIOD, TEST_SEED)
    assert record.final.accuracy == pytest.approx(copy_accuracy(copier, ids), abs=1e-3)


@pytest.mark.parametrize("arguments", [("--steps", "0"), ("--steps", "x"), ("--out", "nowhere")])
def test_script_refuses_what_it_cannot_do(arguments: tuple[str, ...], tmp_path: Path) -> None:
    done = call("--out", tmp_path, *arguments)
    assert done.returncode == 2
    assert "train_copier" in done.stderr
    assert not list(tmp_path.iterdir())
