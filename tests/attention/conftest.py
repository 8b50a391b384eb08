"""Fixtures shared by the tests of attention."""

import importlib.util
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch
from tokenizers import pre_tokenizers


@pytest.fixture(scope="session")
def reference() -> ModuleType:
    """The slow reference; loaded by path, since tests are not packages."""
    path = Path(__file__).with_name("reference.py")
    spec = importlib.util.spec_from_file_location("attention_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """One thread, as on the page; small tensors are also faster so."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def seed() -> None:
    """Every test starts from the same random state."""
    torch.manual_seed(0)


TOKENS = ("The", " Time", " Trave", "ller", " smiled", " at", " us", ".", " The")


@pytest.fixture(scope="session")
def tokenizer_parts() -> tuple[dict[str, int], list[tuple[str, str]]]:
    """A vocabulary and merges that cut the chapter's sentence as GPT-2's do.

    The first 256 tokens are the bytes; a blank is written as GPT-2 writes it.
    """
    vocabulary = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges: list[tuple[str, str]] = []
    for token in TOKENS:
        word = token.lstrip()
        pairs = [(word[:end], word[end]) for end in range(1, len(word))]
        pairs += [("Ġ", word)] if token != word else []
        merges += [pair for pair in pairs if pair not in merges]
    vocabulary += ["".join(pair) for pair in merges]
    return {token: number for number, token in enumerate(vocabulary)}, merges


@pytest.fixture
def save_tokenizer(
    tokenizer_parts: tuple[dict[str, int], list[tuple[str, str]]],
) -> Callable[[Path], int]:
    """Write ``vocab.json`` and ``merges.txt`` into a folder; gives the size of the vocabulary."""

    def save(folder: Path) -> int:
        ids, merges = tokenizer_parts
        lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
        (folder / "vocab.json").write_text(json.dumps(ids), "utf-8")
        (folder / "merges.txt").write_text("\n".join(lines) + "\n", "utf-8")
        return len(ids)

    return save
