"""GPT-2 around the chapter's layer of attention."""

from collections.abc import Iterable
from typing import overload

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from attention.causal import CausalSelfAttention
from attention.gpt2.config import GPT2Config


class MLP(nn.Module):
    """Two linear maps with a GELU between, the same for every token.

    Args:
        emb_dim: Numbers per token, in and out.
        mlp_dim: Numbers per token between the two maps.

    Source:
        Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016). GPT-2
        uses their approximation by tanh.
    """

    def __init__(self, emb_dim: int, mlp_dim: int):
        super().__init__()
        self.up = nn.Linear(emb_dim, mlp_dim)
        self.gelu = nn.GELU(approximate="tanh")
        self.down = nn.Linear(mlp_dim, emb_dim)

    def forward(self, x: Tensor) -> Tensor:
        """Turn x, (B, T, C), into one new vector per token, (B, T, C)."""
        out: Tensor = self.down(self.gelu(self.up(x)))
        return out


class Block(nn.Module):
    """Attention and an MLP; each reads a normed x and adds to x.

    Args:
        config: The sizes of the model.

    Source:
        Radford et al., "Language Models are Unsupervised Multitask
        Learners" (2019), section 2.3.
    """

    def __init__(self, config: GPT2Config):
        super().__init__()
        width, eps = config.emb_dim, config.norm_eps
        self.norm_1 = nn.LayerNorm(width, eps=eps)
        self.attn = CausalSelfAttention(
            width, config.n_heads, config.context_length
        )
        self.norm_2 = nn.LayerNorm(width, eps=eps)
        self.mlp = MLP(width, config.mlp_dim)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Turn x, (B, T, C), into new vectors and weights.

        Args:
            x: Token vectors ``(B, T, emb_dim)``.

        Returns:
            The new vectors ``(B, T, emb_dim)`` and the weights
            ``(B, n_heads, T, T)`` of the attention.

        Raises:
            ValueError: If ``x`` has another shape, or too many tokens.
        """
        moved, weights = self.attn(self.norm_1(x), return_weights=True)
        x = x + moved
        x = x + self.mlp(self.norm_2(x))
        return x, weights


class GPT2(nn.Module):
    """The language model: token ids in, a score for every next token out.

    Args:
        config: The sizes of the model.

    Attributes:
        config: The same.
        token_embedding: A vector for each token; also the last map, from
            vectors back to tokens.
        position_embedding: A vector for each position.
        blocks: ``n_layers`` blocks, one after the other.
        norm: The layer norm before the last map.

    Source:
        Radford et al., "Language Models are Unsupervised Multitask
        Learners" (2019), section 2.3.

    Examples:
        >>> config = GPT2Config(100, 16, emb_dim=8, n_heads=2, n_layers=3)
        >>> model = GPT2(config).eval()
        >>> ids = torch.tensor([[3, 1, 4, 1, 5]])
        >>> model(ids).shape
        torch.Size([1, 5, 100])
        >>> logits, weights = model(ids, layers=[2])
        >>> {layer: w.shape for layer, w in weights.items()}
        {2: torch.Size([1, 2, 5, 5])}
    """

    def __init__(self, config: GPT2Config):
        super().__init__()
        self.config = config
        width = config.emb_dim
        self.token_embedding = nn.Embedding(config.vocab_size, width)
        self.position_embedding = nn.Embedding(config.context_length, width)
        self.blocks = nn.ModuleList(
            Block(config) for _ in range(config.n_layers)
        )
        self.norm = nn.LayerNorm(width, eps=config.norm_eps)

    @overload
    def forward(self, ids: Tensor) -> Tensor: ...

    @overload
    def forward(
        self, ids: Tensor, layers: Iterable[int]
    ) -> tuple[Tensor, dict[int, Tensor]]: ...

    def forward(
        self, ids: Tensor, layers: Iterable[int] | None = None
    ) -> Tensor | tuple[Tensor, dict[int, Tensor]]:
        """Give logits (B, T, vocab_size) for the token after each.

        Args:
            ids: Whole numbers ``(B, T)`` from 0 to below ``vocab_size``,
                with ``T`` from 1 to ``context_length``.
            layers: The layers, from 0, whose attention weights to return.

        Returns:
            Logits ``(B, T, vocab_size)``. With ``layers`` also a dict
            from each of them to its weights ``(B, n_heads, T, T)``; the
            weights of other layers are not kept.

        Raises:
            ValueError: If ``ids`` is not as above, or there is no such
                layer.
        """
        check_ids(ids, self.config)
        wanted = check_layers(layers or (), self.config.n_layers)

        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.token_embedding(ids)  # (B, T, C)
        x = x + self.position_embedding(places)
        kept = {}
        for layer, block in enumerate(self.blocks):
            x, weights = block(x)
            if layer in wanted:
                kept[layer] = weights
        logits = linear(self.norm(x), self.token_embedding.weight)
        return logits if layers is None else (logits, kept)


def check_ids(ids: Tensor, config: GPT2Config) -> None:
    """Raise unless ids is (B, T) and names tokens of the vocabulary."""
    shape, longest = tuple(ids.shape), config.context_length
    if len(shape) != 2 or ids.is_floating_point() or ids.is_complex():
        raise ValueError(
            f"ids of shape {shape} and {ids.dtype} are not whole numbers "
            "(B, T); torch.tensor([ids]) makes a batch of one"
        )
    if not 1 <= shape[1] <= longest:
        raise ValueError(
            f"ids has {shape[1]} tokens, not 1 to "
            f"context_length={longest}; cut the text"
        )
    if ids.numel() and not 0 <= ids.min() <= ids.max() < config.vocab_size:
        raise ValueError(
            f"ids go from {ids.min()} to {ids.max()}, not from 0 to below "
            f"vocab_size={config.vocab_size}; use the model's tokenizer"
        )


def check_layers(layers: Iterable[int], n_layers: int) -> frozenset[int]:
    """Return the layers as a set; raise if one of them does not exist."""
    wanted = frozenset(layers)
    wrong = [layer for layer in wanted if layer not in range(n_layers)]
    if wrong:
        raise ValueError(
            f"there are no layers {wrong}; there are 0 to {n_layers - 1}"
        )
    return wanted
