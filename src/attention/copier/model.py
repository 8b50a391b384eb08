"""Two layers of attention, and what it takes to make a model of them."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from attention.causal import CausalSelfAttention
from attention.checks import check_sizes
from attention.copier.texts import WORDS


@dataclass(frozen=True)
class CopierConfig:
    """The sizes of a `Copier`.

    Attributes:
        n_words: The number of words it knows.
        emb_dim: Numbers per token.
        n_heads: Heads in each layer.
        n_layers: Layers of attention.
        context_length: The largest number of words in one text.

    Raises:
        ValueError: If a size is not a positive int.
    """

    n_words: int = len(WORDS)
    emb_dim: int = 64
    n_heads: int = 2
    n_layers: int = 2
    context_length: int = 48

    def __post_init__(self) -> None:
        check_sizes(**vars(self))


class Copier(nn.Module):
    """A language model of attention layers and nothing else.

    A word's vector is the sum of one for the word and one for its
    position. Each layer adds to it what its attention has found. At the
    end every vector is turned into one number for each word that may come
    next.

    Args:
        config: The sizes.

    Attributes:
        token: ``nn.Embedding``, a vector for each word.
        position: ``nn.Embedding``, a vector for each position.
        norms: An ``nn.LayerNorm`` before each layer.
        layers: The `CausalSelfAttention` layers.
        final_norm: ``nn.LayerNorm`` after the last layer.
        to_words: ``nn.Linear`` from a vector to one number per word.

    Raises:
        ValueError: If ``emb_dim`` does not divide by ``n_heads``.

    Source:
        The order of norm, attention and residual connection is that of
        GPT-2 (Radford et al., 2019). Models of attention alone are
        studied in Elhage et al., "A Mathematical Framework for
        Transformer Circuits" (2021).

    Examples:
        >>> copier = Copier(CopierConfig())
        >>> logits, weights = copier(
        ...     torch.tensor([[5, 6, 7]]), return_weights=True)
        >>> logits.shape, len(weights), weights[0].shape
        (torch.Size([1, 3, 64]), 2, torch.Size([1, 2, 3, 3]))
    """

    def __init__(self, config: CopierConfig):
        super().__init__()
        self.config = config
        C = config.emb_dim
        self.token = nn.Embedding(config.n_words, C)
        self.position = nn.Embedding(config.context_length, C)
        self.norms = nn.ModuleList()
        self.layers = nn.ModuleList()
        for _ in range(config.n_layers):
            self.norms.append(nn.LayerNorm(C))
            self.layers.append(
                CausalSelfAttention(
                    C, config.n_heads, config.context_length
                )
            )
        self.final_norm = nn.LayerNorm(C)
        self.to_words = nn.Linear(C, config.n_words, bias=False)

    def forward(
        self, ids: Tensor, return_weights: bool = False
    ) -> Tensor | tuple[Tensor, list[Tensor]]:
        """Score every word as the next one, at each position.

        Args:
            ids: Numbers of words ``(B, T)``, with ``T`` from 1 to
                ``context_length``.
            return_weights: Whether to return the attention weights too.

        Returns:
            The scores of all words ``(B, T, n_words)``, to go into a
            softmax. With ``return_weights`` also a list of the weights,
            ``(B, n_heads, T, T)`` for each layer.

        Raises:
            ValueError: If ``ids`` is not ``(B, T)``, holds no word or too
                many, or a number that stands for no word.
        """
        check_ids(ids, self.config)
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.token(ids) + self.position(places)  # (B, T, C)

        all_weights = []
        for norm, layer in zip(self.norms, self.layers, strict=True):
            found, weights = layer(norm(x), return_weights=True)
            x = x + found  # the residual connection
            all_weights.append(weights)

        logits: Tensor = self.to_words(self.final_norm(x))
        return (logits, all_weights) if return_weights else logits


def check_ids(ids: Tensor, config: CopierConfig) -> None:
    """Raise unless ids is (B, T), not too long, and of known words."""
    shape, longest = tuple(ids.shape), config.context_length
    if len(shape) != 2 or not 1 <= shape[1] <= longest:
        raise ValueError(
            f"ids of shape {shape} is not (B, T) with T from 1 to "
            f"{longest}; encode() makes a batch of one text"
        )
    if ids.numel() and not 0 <= ids.min() <= ids.max() < config.n_words:
        raise ValueError(
            f"ids go from {ids.min()} to {ids.max()}, "
            f"but words are numbered from 0 to {config.n_words - 1}"
        )
