"""What a head does, in one number; and how well the copier copies.

All scores are of texts in which a stretch of different words is written
twice, as `draw_repeated` makes them. Positions count from 0.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from attention.copier.model import Copier


def previous_token_scores(weights: Sequence[Tensor]) -> Tensor:
    """Say how much each head looks at the word just before.

    The score is the mean weight that position ``t`` puts on ``t - 1``,
    over all texts and all positions but the first, which has no word
    before it. It is 1 for a head that does nothing else.

    Args:
        weights: For each layer ``(B, H, T, T)``, with ``T`` from 2 up.

    Returns:
        The scores ``(n_layers, H)``.
    """
    rows = torch.arange(1, weights[0].shape[-1])
    return mean_weights(weights, rows, rows - 1)


def induction_scores(weights: Sequence[Tensor]) -> Tensor:
    """Say how much each head looks at what followed the same word.

    The score is the mean weight that a position of the second copy puts
    on the position after the one where its own word stands in the first
    copy, over all texts and all positions of the second copy. With a
    stretch of ``P`` words, position ``t`` should look at ``t - P + 1``.

    Args:
        weights: For each layer ``(B, H, 2 * P, 2 * P)``, for texts of one
            stretch written twice.

    Returns:
        The scores ``(n_layers, H)``.
    """
    T = weights[0].shape[-1]
    rows = torch.arange(T // 2, T)
    return mean_weights(weights, rows, rows - T // 2 + 1)


def mean_weights(
    weights: Sequence[Tensor], rows: Tensor, columns: Tensor
) -> Tensor:
    """Average chosen cells of each head's maps: (n_layers, H)."""
    chosen = [layer[:, :, rows, columns] for layer in weights]
    return torch.stack([cells.mean(dim=(0, 2)) for cells in chosen])


def copy_accuracy(copier: Copier, ids: Tensor) -> float:
    """Give the share of words that the copier continues rightly.

    At each position of the second copy it should give the highest score
    to the word that followed in the first copy; after the last word, to
    the first one of the stretch.

    Args:
        copier: The model to test.
        ids: Texts of one stretch written twice, ``(B, 2 * P)``.

    Returns:
        A share from 0 to 1, of ``B * P`` predictions.
    """
    with torch.no_grad():
        logits = copier(ids)
    P = ids.shape[1] // 2
    answers = ids[:, :P].roll(-1, dims=1)
    right = logits[:, P:].argmax(dim=-1) == answers
    return float(right.double().mean())
