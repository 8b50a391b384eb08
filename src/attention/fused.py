"""Multi-head causal self-attention that never stores its weights."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.checkpoint import checkpoint

from attention.causal import CausalSelfAttention
from attention.checks import check_input


class FusedCausalSelfAttention(CausalSelfAttention):
    """The same layer, computed without storing the table of weights.

    Takes the same arguments as ``CausalSelfAttention`` and has the same
    parameters and mask, so either loads what the other saved. Its outputs
    and gradients are the same up to rounding. The memory it needs grows
    with ``T``, not with ``T * T``.

    The work is done by ``scaled_dot_product_attention``. On CPUs and CUDA
    devices PyTorch has kernels for it that keep a block of scores at a
    time. Where it has none, it stores the table after all. An edited mask
    is passed to the kernel as a table ``(T, T)``, one for all heads.

    A row of the mask that hides every token gives ``nan`` in
    ``CausalSelfAttention``. Here its context vector is 0.

    Source:
        Dao et al., "FlashAttention: Fast and Memory-Efficient Exact
        Attention with IO-Awareness" (2022).

    Examples:
        >>> plain = CausalSelfAttention(8, n_heads=2, context_length=16)
        >>> fused = FusedCausalSelfAttention(8, 2, 16)
        >>> fused.load_state_dict(plain.state_dict())
        <All keys matched successfully>
        >>> x = torch.randn(1, 5, 8)
        >>> torch.allclose(fused(x), plain(x), atol=1e-6)
        True
    """

    def forward(self, x: Tensor, return_weights: bool = False) -> Tensor:
        """Turn x, (B, T, C), into one new vector per token, (B, T, C).

        Args:
            x: Token vectors ``(B, T, emb_dim)``, with ``T`` from 1 to
                ``context_length``.
            return_weights: Must be false; there are no weights to return.

        Returns:
            The new vectors ``(B, T, emb_dim)``.

        Raises:
            ValueError: If ``return_weights`` is true, or ``x`` is not
                ``(B, T, emb_dim)``, has no token, or more than
                ``context_length``.
        """
        if return_weights:
            raise ValueError(
                "FusedCausalSelfAttention stores no weights to return; "
                "load its state_dict() into a CausalSelfAttention"
            )
        check_input(x, self.emb_dim, self.context_length)
        B, T, C = x.shape
        H, D = self.n_heads, self.head_dim
        dropout = self.attn_drop.p if self.attn_drop.training else 0.0

        parts = self.qkv(x).split(C, dim=-1)
        q, k, v = (p.view(B, T, H, D).transpose(1, 2) for p in parts)

        hidden = self.mask[:T, :T]
        causal = is_causal(hidden)
        if dropout and not x.is_cuda:
            context = attend_in_blocks(q, k, v, hidden, causal, dropout)
        else:
            visible = None if causal else ~hidden
            context = scaled_dot_product_attention(
                q, k, v, visible, dropout, is_causal=causal
            )

        context = context.transpose(1, 2).reshape(B, T, C)  # (B, T, C)
        out: Tensor = self.proj(context)
        return out


def is_causal(hidden: Tensor) -> bool:
    """Say whether a mask (T, T) hides the later tokens and no others.

    It does if row 0 hides all but token 0, no row hides token 0, and each
    row is the one above, moved one step to the right. The values are read
    every time, since a mask can be edited in ways that leave no trace
    (``mask.data``, NumPy). Making a causal mask to compare with would take
    twice as long.

    Where the values are not known, as in a graph being compiled, the answer
    is no, and the mask is then used as it is.
    """
    if hidden.is_meta or torch.compiler.is_compiling():
        return False
    return (
        bool(hidden[0, 1:].all())
        and not bool(hidden[:, 0].any())
        and torch.equal(hidden[1:, 1:], hidden[:-1, :-1])
    )


def attend_in_blocks(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    hidden: Tensor,
    causal: bool,
    dropout: float,
    rows: int = 64,
) -> Tensor:
    """Attend with dropout, for some queries at a time.

    PyTorch's kernel for CPUs knows no dropout, and what stands in for it
    stores the table. Here it stores a block of rows. Only one block exists
    at any time, as the backward pass makes each anew, with the same draw.

    Args:
        q: Queries ``(B, H, T, D)``.
        k: Keys ``(B, H, T, D)``.
        v: Values ``(B, H, T, D)``.
        hidden: The mask ``(T, T)``, True = hidden.
        causal: Whether it hides all later tokens; about half of the work is
            then left out.
        dropout: The share of weights to drop.
        rows: How many queries to take at a time.

    Returns:
        Context vectors ``(B, H, T, D)``.
    """

    def attend(q: Tensor, k: Tensor, v: Tensor, hidden: Tensor) -> Tensor:
        return scaled_dot_product_attention(q, k, v, ~hidden, dropout)

    T = q.shape[-2]
    blocks = []
    for start in range(0, T, rows):
        stop = min(start + rows, T)
        end = stop if causal else T
        block: Tensor = checkpoint(
            attend,
            q[:, :, start:stop],
            k[:, :, :end],
            v[:, :, :end],
            hidden[start:stop, :end],
            use_reentrant=False,
        )
        blocks.append(block)
    return torch.cat(blocks, dim=-2)
