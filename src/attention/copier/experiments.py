"""Heads switched off, to see what depends on them."""

import copy
from dataclasses import dataclass

import torch
from torch import Tensor

from attention.copier.model import Copier
from attention.copier.scores import copy_accuracy, induction_scores


def without_head(copier: Copier, layer: int, head: int) -> Copier:
    """Return a copy of the model with one head switched off.

    The head still looks where it looked, but what it finds is not passed
    on: the columns of the projection that read its context vector are
    set to zero. The model that was given stays as it is.

    Args:
        copier: The model to copy.
        layer: The layer of the head, counted from 0.
        head: The head within its layer, counted from 0.

    Returns:
        The copy.

    Raises:
        ValueError: If there is no such head.
    """
    config = copier.config
    if not (0 <= layer < config.n_layers and 0 <= head < config.n_heads):
        raise ValueError(
            f"there is no head {head} in layer {layer}; the copier has "
            f"{config.n_layers} layers of {config.n_heads} heads"
        )
    twin = copy.deepcopy(copier)
    weight = twin.get_parameter(f"layers.{layer}.proj.weight")
    D = config.emb_dim // config.n_heads
    with torch.no_grad():
        weight[:, head * D : (head + 1) * D] = 0
    return twin


@dataclass(frozen=True)
class Ablation:
    """What is left of the copier when one head is switched off.

    Attributes:
        layer: The layer of that head.
        head: The head within its layer.
        induction: The induction scores of all heads ``(n_layers, H)``.
        accuracy: The share of words continued rightly, from 0 to 1.
    """

    layer: int
    head: int
    induction: Tensor
    accuracy: float


def ablate(copier: Copier, ids: Tensor) -> list[Ablation]:
    """Switch off each head in turn, the others staying on.

    Args:
        copier: The model to look into; it stays as it is.
        ids: Texts of one stretch written twice, ``(B, 2 * P)``.

    Returns:
        One result for each head, in order of layers and heads.
    """
    results = []
    for layer in range(copier.config.n_layers):
        for head in range(copier.config.n_heads):
            rest = without_head(copier, layer, head)
            with torch.no_grad():
                _, weights = rest(ids, return_weights=True)
            induction = induction_scores(weights)
            accuracy = copy_accuracy(rest, ids)
            results.append(Ablation(layer, head, induction, accuracy))
    return results
