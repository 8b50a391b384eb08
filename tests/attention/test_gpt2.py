"""GPT-2 held against transformers, and its loader against broken folders."""

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import huggingface_hub
import pytest
import safetensors.torch
import torch
import transformers
from safetensors.torch import load_file, save_file
from torch import Tensor

from attention.gpt2 import GPT2, GPT2Config, load_gpt2, load_tokenizer
from attention.gpt2.files import open_source
from attention.gpt2.fit import shapes
from attention.gpt2.weights import names, weight_files

REPOSITORY = "openai-community/gpt2"
SMALL = {"vocab_size": 50, "n_positions": 24, "n_embd": 48, "n_head": 4, "n_layer": 3}
CLOSE = 1e-5  # in float32, for numbers of about 1


def theirs(**settings: Any) -> transformers.GPT2LMHeadModel:
    """GPT-2 of transformers with random weights, biases and norms too."""
    config = transformers.GPT2Config(attn_implementation="eager", **settings)
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.02 * torch.randn_like(parameter))
    return model


def save(model: transformers.PreTrainedModel, folder: Path, **how: Any) -> Path:
    """Save in the hub's layout."""
    model.save_pretrained(folder, **how)
    return folder


def largest_differences(
    ours: GPT2, other: transformers.GPT2LMHeadModel, ids: Tensor
) -> tuple[float, float]:
    """How far logits and attention weights of all layers lie apart at most."""
    n_layers = ours.config.n_layers
    with torch.no_grad():
        logits, weights = ours(ids, layers=range(n_layers))
        expected = other(ids, output_attentions=True)
    assert list(weights) == list(range(n_layers))
    assert len(expected.attentions) == n_layers
    pairs = zip(weights.values(), expected.attentions, strict=True)
    maps = max((a - b).abs().max().item() for a, b in pairs)
    return (logits - expected.logits).abs().max().item(), maps


def random_ids(config: GPT2Config, B: int, T: int) -> Tensor:
    return torch.randint(config.vocab_size, (B, T))


@pytest.fixture(scope="module")
def small() -> transformers.GPT2LMHeadModel:
    torch.manual_seed(1)
    return theirs(**SMALL, initializer_range=0.2)


@pytest.fixture
def folder(small: transformers.GPT2LMHeadModel, tmp_path: Path) -> Path:
    """A small model in the hub's layout."""
    return save(small, tmp_path / "model")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever would reach for the network fails the test."""

    def refuse(*args: object, **kwargs: object) -> NoReturn:
        pytest.fail("the network was touched")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", refuse)
    monkeypatch.setattr(huggingface_hub, "snapshot_download", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


def edit(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    """Change the tensors of a saved model."""
    path = folder / "model.safetensors"
    tensors = load_file(path)
    path.unlink()  # the tensors stay mapped to what was read
    change(tensors)
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path)


def configure(folder: Path, **settings: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | settings), "utf-8")


# The same numbers as transformers -----------------------------------------------


def test_small_model_agrees_with_transformers(
    small: transformers.GPT2LMHeadModel, folder: Path, offline: None
) -> None:
    ours = load_gpt2(folder)
    ids = random_ids(ours.config, 3, 24)
    logits, maps = largest_differences(ours, small, ids)
    assert logits < CLOSE
    assert maps < CLOSE
    with torch.no_grad():
        assert torch.equal(ours(ids), ours(ids, layers=())[0])


def test_full_size_agrees_with_transformers(tmp_path: Path) -> None:
    torch.manual_seed(2)
    other = theirs()
    ours = load_gpt2(save(other, tmp_path))
    assert ours.config == GPT2Config()
    assert sum(p.numel() for p in ours.parameters()) == other.num_parameters() == 124_439_808
    logits, maps = largest_differences(ours, other, random_ids(ours.config, 1, 64))
    assert logits < CLOSE
    assert maps < CLOSE


def test_every_parameter_matters_to_the_comparison(
    small: transformers.GPT2LMHeadModel, folder: Path
) -> None:
    ours = load_gpt2(folder)
    ids = random_ids(ours.config, 3, 24)
    for name, parameter in ours.named_parameters():
        before = parameter.detach().clone()
        with torch.no_grad():
            parameter.mul_(1.1)
        moved = max(largest_differences(ours, small, ids))
        assert moved > CLOSE, name
        with torch.no_grad():
            parameter.copy_(before)


@pytest.mark.parametrize("settings", [{"n_inner": 20}, {"layer_norm_epsilon": 0.1}])
def test_other_sizes_agree_too(settings: dict[str, Any], tmp_path: Path) -> None:
    other = theirs(**SMALL, **settings)
    ours = load_gpt2(save(other, tmp_path))
    assert max(largest_differences(ours, other, random_ids(ours.config, 2, 7))) < CLOSE


def test_names_without_prefix_load_the_same(
    small: transformers.GPT2LMHeadModel, folder: Path, tmp_path: Path
) -> None:
    bare = save(small.transformer, tmp_path / "bare")
    assert "wte.weight" in load_file(bare / "model.safetensors")
    assert "transformer.wte.weight" in load_file(folder / "model.safetensors")
    ids = torch.arange(5)[None]
    with torch.no_grad():
        assert torch.equal(load_gpt2(bare)(ids), load_gpt2(folder)(ids))


def test_model_in_parts_loads_the_same(
    small: transformers.GPT2LMHeadModel, folder: Path, tmp_path: Path, offline: None
) -> None:
    parts = save(small, tmp_path / "parts", max_shard_size="100KB")
    assert len(list(parts.glob("model-*.safetensors"))) > 1
    ids = torch.arange(5)[None]
    with torch.no_grad():
        assert torch.equal(load_gpt2(parts)(ids), load_gpt2(folder)(ids))


def test_masks_of_the_published_file_are_passed_over(folder: Path) -> None:
    mask = torch.ones(1, 1, 24, 24)
    edit(folder, lambda t: t.update({"transformer.h.0.attn.bias": mask}))
    edit(folder, lambda t: t.update({"h.2.attn.masked_bias": torch.tensor(-1e4)}))
    assert load_gpt2(folder)(torch.tensor([[1]])).shape == (1, 1, 50)


def test_head_is_taken_only_if_it_is_the_token_embedding(folder: Path) -> None:
    edit(folder, lambda t: t.update({"lm_head.weight": t["transformer.wte.weight"].clone()}))
    load_gpt2(folder)
    edit(folder, lambda t: t["lm_head.weight"].add_(1))
    with pytest.raises(ValueError, match=r"lm_head\.weight differs from wte\.weight"):
        load_gpt2(folder)


def test_half_precision_becomes_float32(folder: Path) -> None:
    edit(folder, lambda t: t.update({n: x.half() for n, x in t.items()}))
    assert {p.dtype for p in load_gpt2(folder).parameters()} == {torch.float32}


def test_only_the_chosen_layers_weights_come_back(folder: Path) -> None:
    ours = load_gpt2(folder)
    _, weights = ours(torch.tensor([[1, 2, 3]]), layers=(2, 0))
    assert {layer: tuple(w.shape) for layer, w in weights.items()} == {
        0: (1, 4, 3, 3),
        2: (1, 4, 3, 3),
    }


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (torch.tensor([1, 2]), "not whole numbers"),
        (torch.tensor([[1.0]]), "not whole numbers"),
        (torch.zeros(1, 0, dtype=torch.long), "0 tokens"),
        (torch.zeros(1, 25, dtype=torch.long), "25 tokens"),
        (torch.tensor([[50]]), "vocab_size=50"),
        (torch.tensor([[-1]]), "vocab_size=50"),
    ],
)
def test_ids_that_are_none_are_refused(folder: Path, ids: Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_gpt2(folder)(ids)


@pytest.mark.parametrize("layer", [-1, 3])
def test_layer_that_does_not_exist_is_refused(folder: Path, layer: int) -> None:
    with pytest.raises(ValueError, match="there are 0 to 2"):
        load_gpt2(folder)(torch.tensor([[1]]), layers=[layer])


# What is wrong with a folder ------------------------------------------------------


def test_all_that_is_wrong_with_tensors_is_named_at_once(folder: Path) -> None:
    def change(tensors: dict[str, Tensor]) -> None:
        del tensors["transformer.h.1.ln_1.weight"]
        tensors["transformer.h.0.attn.extra"] = torch.zeros(1)
        tensors["transformer.h.2.mlp.c_fc.weight"] = torch.zeros(192, 48)
        tensors["transformer.ln_f.bias"] = torch.zeros(48, dtype=torch.int32)

    edit(folder, change)
    with pytest.raises(ValueError, match="not this GPT-2") as caught:
        load_gpt2(folder)
    message = str(caught.value)
    assert str(folder) in message
    for part in (
        "missing h.1.ln_1.weight",
        "unexpected h.0.attn.extra",
        "h.2.mlp.c_fc.weight is (192, 48), not (48, 192)",
        "ln_f.bias is torch.int32, not float",
    ):
        assert part in message


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"n_layer": 10**15}, ["missing 999999999999997 of n_layers=1000000000000000 from h.3 on"]),
        ({"n_embd": 4 * 10**15}, ["wte.weight is (50, 48), not (50, 4000000000000000)"]),
        ({"n_positions": 10**15}, ["wpe.weight is (24, 48), not (1000000000000000, 48)"]),
        ({"n_inner": 10**15}, ["h.2.mlp.c_fc.bias is (192,), not (1000000000000000,)"]),
        ({"n_layer": 4, "vocab_size": 51}, ["missing 1 of n_layers=4 from h.3 on", "not (51, 48)"]),
        ({"n_layer": 2}, ["unexpected h.2.attn.c_attn.bias, h.2.attn.c_attn.weight, "]),
    ],
)
def test_settings_that_do_not_fit_are_refused_before_anything_is_built(
    folder: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, object], words: list[str]
) -> None:
    configure(folder, **settings)
    monkeypatch.setattr(GPT2, "__init__", lambda *_: pytest.fail("a model was built"))
    monkeypatch.setattr(safetensors.torch, "load", lambda *_: pytest.fail("weights were read"))
    with pytest.raises(ValueError, match="not this GPT-2") as caught:
        load_gpt2(folder)
    assert [part for part in words if part not in str(caught.value)] == []


def test_shapes_are_those_of_the_model() -> None:
    config = GPT2Config(50, 24, emb_dim=48, n_heads=4, n_layers=2, mlp_dim=20)
    model = GPT2(config)
    parameters = dict(model.named_parameters())
    found = {
        theirs: tuple(parameters[ours].T.shape if turned else parameters[ours].shape)
        for ours, theirs, turned in names(model)
    }
    assert shapes(config, range(2)) == found


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999])
def test_file_that_was_cut_short_is_named(folder: Path, share: float) -> None:
    path = folder / "model.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=r"cut short.*fetch it again") as caught:
        load_gpt2(folder)
    assert str(path) in str(caught.value)


def test_pickle_is_never_read(folder: Path, offline: None) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(ValueError, match=r"pytorch_model\.bin is a pickle"):
        load_gpt2(folder)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"no {name} in this folder"):
        load_gpt2(folder)


@pytest.mark.parametrize(
    "index",
    ["{", "[]", '{"weight_map": 1}', '{"weight_map": {"a": 1}}', '{"weight_map": {"a": "../b"}}'],
)
def test_index_that_is_none_is_named(folder: Path, index: str) -> None:
    (folder / "model.safetensors").unlink()
    path = folder / "model.safetensors.index.json"
    path.write_text(index, "utf-8")
    with pytest.raises(ValueError, match="fetch it again") as caught:
        load_gpt2(folder)
    assert str(path) in str(caught.value)


def test_missing_part_is_named(small: transformers.GPT2LMHeadModel, tmp_path: Path) -> None:
    save(small, tmp_path, max_shard_size="100KB")
    first = min(tmp_path.glob("model-*.safetensors"))
    first.unlink()
    with pytest.raises(FileNotFoundError, match=first.name):
        load_gpt2(tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx=True"),
        ({"scale_attn_weights": False}, "scale_attn_weights=False"),
        ({"activation_function": "relu"}, "activation_function='relu'"),
        ({"model_type": "bert"}, "model_type='bert'"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings=False"),
        ({"n_head": 5}, "does not divide"),
        ({"n_embd": "48"}, "n_embd='48'"),
        ({"n_layer": True}, "n_layer=True"),
        ({"layer_norm_epsilon": "tiny"}, "layer_norm_epsilon='tiny'"),
        ({"layer_norm_epsilon": -1}, "norm_eps=-1"),
    ],
)
def test_settings_that_are_not_supported_are_named(
    folder: Path, settings: dict[str, object], message: str
) -> None:
    configure(folder, **settings)
    with pytest.raises(ValueError, match=message) as caught:
        load_gpt2(folder)
    assert str(folder / "config.json") in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "\udc80"])
def test_settings_that_are_no_object_are_named(folder: Path, text: str) -> None:
    path = folder / "config.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError, match="fetch it again"):
        GPT2Config.from_json(path)


def test_settings_left_out_are_those_of_the_small_gpt2(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text("{}", "utf-8")
    assert GPT2Config.from_json(path) == GPT2Config()


# The hub --------------------------------------------------------------------------


@pytest.fixture
def cache(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's cache with one repository, ``some/model``; gives its files."""
    root = tmp_path / "cache"
    model = root / "models--some--model"
    files = model / "snapshots" / ("0" * 40)
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("0" * 40, "utf-8")
    shutil.copytree(folder, files)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(root))
    return files


def test_cached_repository_loads_without_network(cache: Path, offline: None) -> None:
    assert load_gpt2("some/model").config.emb_dim == 48


def test_nothing_is_fetched_unless_asked(cache: Path, offline: None) -> None:
    for load in (load_gpt2, load_tokenizer):
        with pytest.raises(FileNotFoundError, match="download=True"):
            load("some/other")


@pytest.mark.parametrize("source", ["no-such-folder", "./some/model", "a/b/c", Path("some/model")])
def test_source_that_is_neither_folder_nor_repository_is_refused(
    source: str | Path, offline: None
) -> None:
    with pytest.raises(FileNotFoundError, match="no such folder"):
        load_gpt2(source, download=True)


def test_asked_for_download_fetches_each_file_without_a_token(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = []

    def fetch(repository: str, name: str, *, token: object) -> str:
        fetched.append((repository, name, token))
        return str(folder / name)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fetch)
    load_gpt2("some/model", download=True)
    assert fetched == [
        ("some/model", "config.json", False),
        ("some/model", "model.safetensors", False),
    ]


def test_pickle_is_not_fetched_only_to_be_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def fetch(repository: str, name: str, *, token: object) -> str:
        asked.append(name)
        if name == "config.json":
            return str(folder / name)
        raise huggingface_hub.errors.EntryNotFoundError("404")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fetch)
    with pytest.raises(FileNotFoundError, match=r"has no model\.safetensors"):
        load_gpt2("some/model", download=True)
    assert asked == ["config.json", "model.safetensors", "model.safetensors.index.json"]


def test_download_that_breaks_off_says_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(*args: object, **kwargs: object) -> NoReturn:
        raise RuntimeError("peer closed connection")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fetch)
    with pytest.raises(ConnectionError, match=r"config\.json could not be fetched: peer.*again"):
        load_gpt2("some/model", download=True)


def test_file_that_the_repository_lacks_is_not_a_broken_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fetch(*args: object, **kwargs: object) -> NoReturn:
        raise huggingface_hub.errors.EntryNotFoundError("404")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fetch)
    with pytest.raises(FileNotFoundError, match=r"has no config\.json"):
        load_gpt2("some/model", download=True)


# The tokenizer --------------------------------------------------------------------


def test_tokenizer_loads_from_either_form(
    save_tokenizer: Callable[[Path], int], tmp_path: Path, offline: None
) -> None:
    save_tokenizer(tmp_path)
    parts = load_tokenizer(tmp_path)
    text = "The Time Traveller smiled at us. The"
    assert [parts.decode([i]) for i in parts.encode(text).ids] == [
        *("The", " Time", " Trave", "ller", " smiled", " at", " us", ".", " The")
    ]
    parts.save(str(tmp_path / "tokenizer.json"))
    for name in ("vocab.json", "merges.txt"):
        (tmp_path / name).unlink()
    whole = load_tokenizer(tmp_path)
    odd = "naïve 猫\n  don't 12.5 <|endoftext|>"
    assert whole.encode(odd).ids == parts.encode(odd).ids
    assert whole.decode(whole.encode(odd).ids) == odd


def test_tokenizer_in_parts_agrees_with_transformers(
    save_tokenizer: Callable[[Path], int], tmp_path: Path
) -> None:
    save_tokenizer(tmp_path)
    other = transformers.GPT2Tokenizer.from_pretrained(tmp_path)
    odd = "The Traveller's  smile\n at 1895, naïve."
    assert load_tokenizer(tmp_path).encode(odd).ids == other.encode(odd)


@pytest.mark.parametrize(
    ("name", "text"),
    [("tokenizer.json", "{}"), ("vocab.json", "["), ("merges.txt", "a b c\n"), ("merges.txt", "q")],
)
def test_tokenizer_that_is_none_is_named(
    save_tokenizer: Callable[[Path], int], tmp_path: Path, name: str, text: str
) -> None:
    save_tokenizer(tmp_path)
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(ValueError, match=r"fetch (it|both) again") as caught:
        load_tokenizer(tmp_path)
    assert name in str(caught.value)


def test_tokenizer_without_merges_is_named(
    save_tokenizer: Callable[[Path], int], tmp_path: Path
) -> None:
    save_tokenizer(tmp_path)
    (tmp_path / "merges.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"merges\.txt"):
        load_tokenizer(tmp_path)


# The published weights ------------------------------------------------------------

PUBLISHED = json.loads(Path(__file__).with_name("gpt2_published.json").read_text("utf-8"))
SENTENCE = "The Time Traveller smiled at us."
HOW = (
    "GPT-2's published weights are not on this machine (0.55 GB): set GPT2_SOURCE to a folder "
    f"that holds them, or fetch them with scripts/record_gpt2.py --source {REPOSITORY} --download"
)


@pytest.fixture(scope="module")
def source() -> str:
    """Where the published weights are; nothing is fetched."""
    named = os.environ.get("GPT2_SOURCE")
    if named:
        return named
    try:
        weight_files(open_source(REPOSITORY, download=False))
    except FileNotFoundError:
        pytest.skip(HOW)
    return REPOSITORY


@pytest.fixture(scope="module")
def published(source: str) -> GPT2:
    return load_gpt2(source)


@pytest.fixture(scope="module")
def twice(published: GPT2, source: str) -> tuple[list[str], Tensor, dict[int, Tensor]]:
    """The sentence written twice: predicted tokens, and weights of layers 4 and 5."""
    tokenizer = load_tokenizer(source)
    ids = tokenizer.encode(f"{SENTENCE} {SENTENCE}").ids
    with torch.no_grad():
        logits, weights = published(torch.tensor([ids]), layers=(4, 5))
    tokens = [tokenizer.decode([i]) for i in ids]
    assert tokens[:2] + tokens[8:10] == ["The", " Time", " The", " Time"]
    predicted = [tokenizer.decode([i]) for i in logits[0].argmax(-1)]
    return predicted, torch.tensor(ids), weights


@pytest.mark.published_weights
@pytest.mark.parametrize("prompt", PUBLISHED["prompts"], ids=lambda prompt: prompt["tokens"][0])
def test_published_run_comes_out(published: GPT2, source: str, prompt: dict[str, Any]) -> None:
    tokenizer = load_tokenizer(source)
    assert tokenizer.encode(prompt["text"]).ids == prompt["ids"]
    with torch.no_grad():
        logits, weights = published(torch.tensor([prompt["ids"]]), layers=range(12))
    for number, token, logit in prompt["top10"]:
        assert tokenizer.decode([number]) == token
        assert logits[0, -1, number].item() == pytest.approx(logit, abs=2e-2)
    top = logits[0, -1].topk(10).values
    lowest = min(logit for *_, logit in prompt["top10"])
    assert top[-1].item() == pytest.approx(lowest, abs=2e-2)
    for name, rows in prompt["heads"].items():
        layer, head = map(int, name.split("."))
        for i, row in enumerate(rows):
            got = weights[layer][0, head, i, : i + 1]
            torch.testing.assert_close(got, torch.tensor(row), atol=1e-3, rtol=0)
    first = torch.stack([weights[layer][0, :, -1, 0] for layer in range(12)])
    expected = torch.tensor(prompt["last_row_first_column"])
    torch.testing.assert_close(first, expected, atol=1e-3, rtol=0)


@pytest.mark.published_weights
def test_sentence_twice_is_sixteen_tokens(twice: tuple[Any, Tensor, Any]) -> None:
    _, ids, _ = twice
    assert len(ids) == 16
    assert torch.equal(ids[1:8], ids[9:])


@pytest.mark.published_weights
def test_head_11_of_layer_4_looks_one_token_back(twice: tuple[Any, Any, dict[int, Tensor]]) -> None:
    *_, weights = twice
    assert weights[4][0, 11].diagonal(-1).min() >= 0.995


@pytest.mark.published_weights
@pytest.mark.parametrize(("row", "weight"), [(9, 0.67), (10, 0.76), (11, 0.72)])
def test_head_1_of_layer_5_looks_behind_the_earlier_copy(
    twice: tuple[Any, Any, dict[int, Tensor]], row: int, weight: float
) -> None:
    *_, weights = twice
    rows = weights[5][0, 1]
    assert rows[row, row - 7].item() == pytest.approx(weight, abs=0.005)
    assert rows[row, 0] / (1 - rows[row, row - 7]) > 0.5


@pytest.mark.published_weights
@pytest.mark.parametrize(("row", "token"), [(9, " Trave"), (10, "ller"), (11, " was")])
def test_likeliest_next_token_is_as_reported(
    twice: tuple[list[str], Any, Any], row: int, token: str
) -> None:
    predicted, *_ = twice
    assert predicted[row] == token
