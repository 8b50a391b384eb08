"""The causal mask."""

import torch
from torch import Tensor

from attention.checks import check_sizes


def causal_mask(T: int, device: torch.device | str | None = None) -> Tensor:
    """Say which tokens are hidden: row i hides every token after i.

    Args:
        T: The number of tokens, at least 1.
        device: Where to make the mask; ``None`` for PyTorch's default.

    Returns:
        A boolean tensor ``(T, T)``. Entry ``[i, j]`` is ``True`` where
        token ``i`` must not see token ``j``, that is where ``j > i``. The
        diagonal is ``False``: every token sees itself.

    Raises:
        ValueError: If ``T`` is not a positive int.

    Source:
        Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3.

    Examples:
        >>> causal_mask(3)
        tensor([[False,  True,  True],
                [False, False,  True],
                [False, False, False]])
    """
    check_sizes(T=T)
    everything = torch.ones(T, T, dtype=torch.bool, device=device)
    return everything.triu(diagonal=1)
