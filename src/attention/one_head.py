"""A single head of causal attention."""

import torch
from torch import Tensor, nn

from attention.checks import check_input, check_sizes
from attention.mask import causal_mask


class OneHeadAttention(nn.Module):
    """One head of causal attention, for sequences of any length.

    Computes ``softmax(q @ k.T / sqrt(d_head) + m) @ v``, where ``m`` is
    ``-inf`` for every later token and 0 elsewhere.

    Args:
        d_in: Numbers per token that come in.
        d_head: Numbers per token that go out; also the width of queries,
            keys and values.
        qkv_bias: Whether the three linear maps add a bias.

    Attributes:
        W_q: ``nn.Linear`` for the queries; its weight is
            ``(d_head, d_in)``.
        W_k: ``nn.Linear`` for the keys, of the same shape.
        W_v: ``nn.Linear`` for the values, of the same shape.

    Raises:
        ValueError: If ``d_in`` or ``d_head`` is not a positive int.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1.

    Examples:
        >>> head = OneHeadAttention(d_in=4, d_head=2)
        >>> head(torch.randn(8, 3, 4)).shape
        torch.Size([8, 3, 2])
    """

    def __init__(self, d_in: int, d_head: int, qkv_bias: bool = False):
        super().__init__()
        check_sizes(d_in=d_in, d_head=d_head)
        self.d_in = d_in
        self.d_head = d_head
        self.W_q = nn.Linear(d_in, d_head, bias=qkv_bias)
        self.W_k = nn.Linear(d_in, d_head, bias=qkv_bias)
        self.W_v = nn.Linear(d_in, d_head, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Turn x, (B, T, d_in), into context vectors, (B, T, d_head).

        Args:
            x: Token vectors ``(B, T, d_in)``, for any ``T`` from 1 up.

        Returns:
            Context vectors ``(B, T, d_head)``. Vector ``t`` depends on
            tokens 0 to ``t`` alone.

        Raises:
            ValueError: If ``x`` is not ``(B, T, d_in)`` or has no token.
        """
        check_input(x, self.d_in)
        q = self.W_q(x)  # (B, T, D)
        k = self.W_k(x)
        v = self.W_v(x)

        scores = q @ k.transpose(-2, -1) / self.d_head**0.5  # (B, T, T)
        hidden = causal_mask(x.shape[1], device=x.device)
        scores = scores.masked_fill(hidden, -torch.inf)
        weights = torch.softmax(scores, dim=-1)

        context: Tensor = weights @ v  # (B, T, D)
        return context
