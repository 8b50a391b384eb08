"""Checks of arguments, kept apart so that the modules stay about attention.

Each check returns nothing, or raises a ``ValueError`` that carries the
offending values and says what to do.
"""

from torch import Tensor


def check_sizes(**sizes: int) -> None:
    """Raise unless every size, given by its name, is an int from 1 up."""
    for name, size in sizes.items():
        # Only floats are refused by type: numpy's integers and the symbolic
        # ones of torch.export are sizes too.
        if isinstance(size, float) or size < 1:
            raise ValueError(
                f"{name}={size} is not a positive int; give 1 or more"
            )


def check_settings(
    emb_dim: int, n_heads: int, context_length: int, dropout: float
) -> None:
    """Raise unless a multi-head module can be built with these settings."""
    check_sizes(emb_dim=emb_dim, n_heads=n_heads)
    check_sizes(context_length=context_length)
    rest = emb_dim % n_heads
    if rest:
        nearest = max(emb_dim - rest, n_heads)
        raise ValueError(
            f"emb_dim={emb_dim} does not divide into n_heads={n_heads} "
            f"equal heads; use a multiple of {n_heads}, such as {nearest}"
        )
    if not 0 <= dropout < 1:  # written so that nan fails too
        raise ValueError(
            f"dropout={dropout} lies outside [0, 1); "
            "give the share of weights to drop, such as 0.1"
        )


def check_input(x: Tensor, width: int, longest: int | None = None) -> None:
    """Raise unless x is (B, T, width) and holds 1 to ``longest`` tokens.

    Args:
        x: The input of a layer.
        width: How many numbers the layer takes per token.
        longest: How many tokens it takes at most; ``None`` for any number.

    Raises:
        ValueError: If ``x`` has another shape.
    """
    shape = tuple(x.shape)
    if len(shape) != 3:
        one = "x.unsqueeze(0) makes a batch of one"
        hint = one if len(shape) == 2 else "reshape it"
        raise ValueError(
            f"x of shape {shape} is not (B, T, C) with C={width}; {hint}"
        )
    _, T, C = shape
    if width != C:
        raise ValueError(
            f"x of shape {shape} has {C} numbers per token, not {width}; "
            f"pass (B, T, {width}) or build the layer for {C}"
        )
    if T < 1:
        raise ValueError(
            f"x of shape {shape} holds no token; pass at least one"
        )
    if longest is not None and longest < T:
        raise ValueError(
            f"x has {T} tokens, more than context_length={longest}; "
            f"cut it to {longest} or build a layer with a longer context"
        )
