"""A small record of one run: every head's map and the predictions.

A page is made from it without the half gigabyte of the weights. The file
is JSON, with these keys:

- ``format``: 1.
- ``scale``: 1000. Every weight and probability is a whole number of it.
- ``text``, ``tokens``, ``ids``: the text, and its T tokens.
- ``maps``: ``maps[layer][head][i]`` is row ``i``, its weights on tokens 0
  to ``i``; later ones are hidden and left out.
- ``predictions``: for each position the likeliest next tokens, the best
  first, each as ``[token, id, probability]``.
- ``source``, ``sha256``, ``published``: where the weights came from, the
  SHA-256 of each of their files, and whether it is the published one.
- ``versions``: what it was made with.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from attention.checks import check_sizes
from attention.gpt2 import check_record

FORMAT, SCALE = check_record.FORMAT, check_record.SCALE


@dataclass(frozen=True)
class Prediction:
    """A token that may come next.

    Attributes:
        token: Its text.
        id: Its number in the vocabulary.
        probability: From 0 to 1, to the nearest thousandth.
    """

    token: str
    id: int
    probability: float


@dataclass(frozen=True)
class Record:
    """What GPT-2 did on one text; made by `read_record`.

    Attributes:
        text: The text.
        tokens: Its ``T`` tokens, each with the blank before it, if any.
        ids: Their numbers in the vocabulary.
        predictions: For each position the likeliest next tokens, the best
            first.
        maps: ``maps[layer][head][i]`` is row ``i`` of a head's weights,
            up to token ``i``, in thousandths.
        source: Where the weights came from: a repository or a folder's
            name.
        sha256: The SHA-256 of each file of weights, by name.
        published: Whether the weights are byte for byte those published
            as ``openai-community/gpt2``.
        versions: The versions of what made it, by name.
    """

    text: str
    tokens: tuple[str, ...]
    ids: tuple[int, ...]
    predictions: tuple[tuple[Prediction, ...], ...]
    maps: tuple[tuple[tuple[tuple[int, ...], ...], ...], ...]
    source: str
    sha256: Mapping[str, str]
    published: bool
    versions: Mapping[str, str]

    @property
    def n_layers(self) -> int:
        """How many layers there are."""
        return len(self.maps)

    @property
    def n_heads(self) -> int:
        """How many heads a layer has."""
        return len(self.maps[0])

    def weights(self, layer: int, head: int) -> Tensor:
        """Give one head's weights.

        Args:
            layer: The layer, from 0.
            head: The head, from 0.

        Returns:
            ``(T, T)``, rounded to thousandths, so that a row adds up to 1
            only within half a thousandth for each token it sees.

        Raises:
            ValueError: If there is no such layer or head.
        """
        if layer not in range(self.n_layers):
            raise ValueError(
                f"there is no layer {layer}; the record has 0 to "
                f"{self.n_layers - 1}"
            )
        if head not in range(self.n_heads):
            raise ValueError(
                f"there is no head {head}; each layer has 0 to "
                f"{self.n_heads - 1}"
            )
        T = len(self.tokens)
        rows = self.maps[layer][head]
        filled = [[*row, *[0] * (T - len(row))] for row in rows]
        return torch.tensor(filled, dtype=torch.float64).div(SCALE).float()

    def top(self, position: int) -> str:
        """Give the likeliest next token at a position, from 0.

        Raises:
            ValueError: If there is no such position.
        """
        if position not in range(len(self.tokens)):
            raise ValueError(
                f"there is no position {position}; the text has 0 to "
                f"{len(self.tokens) - 1}"
            )
        return self.predictions[position][0].token


def read_record(path: str | Path) -> Record:
    """Read a record and check that it is whole.

    Args:
        path: The file that ``scripts/record_gpt2.py`` wrote.

    Returns:
        The record.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is not a record, of another format, or its parts
            do not fit each other.
    """
    try:
        with Path(path).open(encoding="utf-8") as file:
            values = json.load(file)
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"{path}: there is no record; scripts/record_gpt2.py makes it"
        ) from error
    # Bad JSON, bad UTF-8, or brackets without end.
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"{path}: not JSON: {error}; {check_record.AGAIN}"
        ) from error
    problem = check_record.problem_of(values)
    if problem:
        raise ValueError(f"{path}: {problem}; {check_record.AGAIN}")
    return _record(values)


def _record(values: Mapping[str, Any]) -> Record:
    """Freeze what was read and checked."""
    return Record(
        text=values["text"],
        tokens=tuple(values["tokens"]),
        ids=tuple(values["ids"]),
        predictions=tuple(
            tuple(Prediction(t, i, p / SCALE) for t, i, p in best)
            for best in values["predictions"]
        ),
        maps=tuple(
            tuple(tuple(map(tuple, rows)) for rows in heads)
            for heads in values["maps"]
        ),
        source=values["source"],
        sha256=dict(values["sha256"]),
        published=values["published"],
        versions=dict(values["versions"]),
    )


def thousandths(weights: Tensor) -> list[Any]:
    """Give the numbers as nested lists of whole thousandths."""
    counts: list[Any] = (weights.double() * SCALE).round().int().tolist()
    return counts


def lower(weights: Tensor) -> list[list[list[int]]]:
    """Give each head's rows without what is hidden.

    Args:
        weights: ``(H, T, T)``, causal.

    Returns:
        For each head its rows in thousandths, row ``i`` with ``i + 1``
        numbers.
    """
    return [
        [row[: i + 1] for i, row in enumerate(rows)]
        for rows in thousandths(weights)
    ]


def best(logits: Tensor, count: int = 5) -> list[list[tuple[int, int]]]:
    """Give the likeliest tokens at each position.

    Args:
        logits: ``(T, vocab_size)``.
        count: How many to give at most.

    Returns:
        For each position pairs of an id and a probability in thousandths,
        the best first; of equals the smaller id first.
    """
    check_sizes(count=count)
    shares = logits.double().softmax(dim=-1)
    # A stable sort, since the order of equals is nobody's promise in topk.
    order = shares.sort(dim=-1, descending=True, stable=True).indices
    chosen = order[:, :count]
    counts = thousandths(shares.gather(-1, chosen))
    return [
        list(zip(ids, row, strict=True))
        for ids, row in zip(chosen.tolist(), counts, strict=True)
    ]
