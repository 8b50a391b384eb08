"""Multi-head causal self-attention, as GPT-2 uses it."""

import torch
from torch import Tensor, nn

from attention.checks import check_input, check_settings
from attention.mask import causal_mask


class CausalSelfAttention(nn.Module):
    """Several heads of causal attention side by side, then a projection.

    Each head has ``head_dim = emb_dim / n_heads`` numbers of every query,
    key and value to itself and computes
    ``softmax(q @ k.T / sqrt(head_dim) + m) @ v``, where ``m`` is ``-inf``
    for every later token and 0 elsewhere. The heads' context vectors are
    joined and go through one more linear map.

    Args:
        emb_dim: Numbers per token, in and out; a multiple of ``n_heads``.
        n_heads: The number of heads.
        context_length: The largest number of tokens in one sequence.
        dropout: The share of weights set to zero in training, from 0 to
            below 1. The others are multiplied by ``1 / (1 - dropout)``.
        qkv_bias: Whether the map to queries, keys and values adds a bias.
            The projection always has one.

    Attributes:
        qkv: ``nn.Linear`` that makes queries, keys and values, in that
            order, at once; its weight is ``(3 * emb_dim, emb_dim)``.
        proj: ``nn.Linear`` that mixes the joined heads; its weight is
            ``(emb_dim, emb_dim)``.
        attn_drop: ``nn.Dropout`` on the weights.
        mask: Boolean buffer ``(context_length, context_length)``, True =
            hidden. It is not saved with the parameters. After
            ``attn.mask.zero_()`` every token sees every other.

    Raises:
        ValueError: If a size is not a positive int, ``emb_dim`` does not
            divide by ``n_heads``, or ``dropout`` lies outside [0, 1).

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2.
        The order within ``qkv`` is that of ``c_attn`` in the code
        published with GPT-2 (Radford et al., 2019).

    Examples:
        >>> attn = CausalSelfAttention(8, n_heads=2, context_length=16)
        >>> out, weights = attn(torch.randn(1, 5, 8), return_weights=True)
        >>> out.shape, weights.shape
        (torch.Size([1, 5, 8]), torch.Size([1, 2, 5, 5]))
    """

    mask: Tensor  # the type of the buffer registered below

    def __init__(
        self,
        emb_dim: int,
        n_heads: int,
        context_length: int,
        dropout: float = 0.0,
        qkv_bias: bool = True,
    ):
        super().__init__()
        check_settings(emb_dim, n_heads, context_length, dropout)
        self.emb_dim = emb_dim
        self.n_heads = n_heads
        self.head_dim = emb_dim // n_heads
        self.context_length = context_length

        self.qkv = nn.Linear(emb_dim, 3 * emb_dim, bias=qkv_bias)
        self.proj = nn.Linear(emb_dim, emb_dim)
        self.attn_drop = nn.Dropout(dropout)
        mask = causal_mask(context_length)
        self.register_buffer("mask", mask, persistent=False)

    def forward(
        self, x: Tensor, return_weights: bool = False
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Turn x, (B, T, C), into one new vector per token, (B, T, C).

        Args:
            x: Token vectors ``(B, T, emb_dim)``, with ``T`` from 1 to
                ``context_length``.
            return_weights: Whether to return the weights too.

        Returns:
            The new vectors ``(B, T, emb_dim)``. With ``return_weights``
            also the weights ``(B, n_heads, T, T)`` as they leave softmax,
            in training too: before dropout, so every row adds up to 1.

        Raises:
            ValueError: If ``x`` is not ``(B, T, emb_dim)``, has no token,
                or more than ``context_length``.
        """
        check_input(x, self.emb_dim, self.context_length)
        B, T, C = x.shape
        H, D = self.n_heads, self.head_dim

        q, k, v = self.qkv(x).split(C, dim=-1)
        q = q.view(B, T, H, D).transpose(1, 2)  # (B, H, T, D)
        k = k.view(B, T, H, D).transpose(1, 2)
        v = v.view(B, T, H, D).transpose(1, 2)

        # Dividing q divides every score; in long texts it is less work.
        scores = (q / D**0.5) @ k.transpose(-2, -1)  # (B, H, T, T)
        scores.masked_fill_(self.mask[:T, :T], -torch.inf)
        weights = torch.softmax(scores, dim=-1)

        context = self.attn_drop(weights) @ v  # (B, H, T, D)
        context = context.transpose(1, 2).reshape(B, T, C)  # (B, T, C)
        out: Tensor = self.proj(context)
        return (out, weights) if return_weights else out
