"""Whether files of weights are those of a model, told by their headers.

The headers are a few kilobytes, so that a wrong file, or settings that ask
for more layers than any machine could hold, are refused before anything is
built or read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path

from attention.gpt2.config import GPT2Config

PREFIX = "transformer."
TIED = "lm_head.weight"

Header = tuple[tuple[int, ...], str]
"""A tensor's shape and the name of its type, as the file has them."""

# Masks that old files carry along; they are no parameters.
_MASKS = re.compile(r"h\.\d+\.attn\.(?:masked_)?bias")
_LAYER = re.compile(r"h\.(0|[1-9]\d*)\.")
# What a file calls the types that are no floats.
_OTHERS = {
    "BOOL": "torch.bool",
    "C64": "torch.complex64",
    **{f"I{bits}": f"torch.int{bits}" for bits in (8, 16, 32, 64)},
    **{f"U{bits}": f"torch.uint{bits}" for bits in (8, 16, 32, 64)},
}


def bare(name: str) -> str | None:
    """Give a parameter's published name, or None for a mask."""
    name = name.removeprefix(PREFIX)
    return None if _MASKS.fullmatch(name) else name


def damaged(path: Path, error: Exception) -> ValueError:
    """Say that a file of weights cannot be read."""
    return ValueError(
        f"{path}: damaged or cut short ({path.stat().st_size:,} bytes: "
        f"{error}); delete it and fetch it again"
    )


def check_fit(
    config: GPT2Config, files: Iterable[Path], where: str
) -> None:
    """Raise unless the files hold the parameters of such a model.

    Args:
        config: The sizes of the model.
        files: Its safetensors files.
        where: Where they come from, for messages.

    Raises:
        ValueError: If a file is damaged, or tensors are missing,
            unexpected, of the wrong shape or not of floats. One message
            names all of them.
    """
    given = read_headers(files)
    given.pop(TIED, None)
    problems = list(_mismatches(config, given))
    if problems:
        raise ValueError(f"{where}: not this GPT-2: {'; '.join(problems)}")


def read_headers(files: Iterable[Path]) -> dict[str, Header]:
    """Read what tensors some safetensors files hold, but not their numbers.

    Raises:
        ValueError: If a file is damaged or cut short.
    """
    # Here, so that the model alone needs nothing but PyTorch.
    from safetensors import SafetensorError, safe_open

    found: dict[str, Header] = {}
    for path in files:
        # Opened by Python as well, so that whoever watches which files a
        # page opens sees it, also if it is refused.
        with path.open("rb"):
            try:
                with safe_open(path, framework="pt") as file:
                    slices = {n: file.get_slice(n) for n in file.keys()}  # noqa: SIM118
            except (SafetensorError, KeyError, ValueError) as error:
                raise damaged(path, error) from error
        for full, part in slices.items():
            name = bare(full)
            if name is not None:
                found[name] = tuple(part.get_shape()), part.get_dtype()
    return found


def shapes(
    config: GPT2Config, layers: Iterable[int]
) -> dict[str, tuple[int, ...]]:
    """Give the published names and shapes of a model's parameters.

    Args:
        config: The sizes of the model.
        layers: Which of its blocks.
    """
    C, M = config.emb_dim, config.mlp_dim
    block = {
        **{"ln_1.weight": (C,), "ln_1.bias": (C,)},
        **{"attn.c_attn.weight": (C, 3 * C), "attn.c_attn.bias": (3 * C,)},
        **{"attn.c_proj.weight": (C, C), "attn.c_proj.bias": (C,)},
        **{"ln_2.weight": (C,), "ln_2.bias": (C,)},
        **{"mlp.c_fc.weight": (C, M), "mlp.c_fc.bias": (M,)},
        **{"mlp.c_proj.weight": (M, C), "mlp.c_proj.bias": (C,)},
    }
    return {
        "wte.weight": (config.vocab_size, C),
        "wpe.weight": (config.context_length, C),
        **{
            f"h.{layer}.{name}": shape
            for layer in layers
            for name, shape in block.items()
        },
        **{"ln_f.weight": (C,), "ln_f.bias": (C,)},
    }


def _mismatches(
    config: GPT2Config, given: Mapping[str, Header]
) -> Iterator[str]:
    """Say what is missing, too much, or of the wrong shape or type."""
    layers = {int(m[1]) for m in map(_LAYER.match, given) if m}
    layers = {layer for layer in layers if layer < config.n_layers}
    lacking = config.n_layers - len(layers)
    if lacking:
        first = next(n for n in count() if n not in layers)
        yield (
            f"missing {lacking} of n_layers={config.n_layers} "
            f"from h.{first} on"
        )
    wanted = shapes(config, sorted(layers))
    missing = [name for name in wanted if name not in given]
    unexpected = [name for name in given if name not in wanted]
    if missing:
        yield f"missing {', '.join(missing)}"
    if unexpected:
        yield f"unexpected {', '.join(unexpected)}"
    for name, right in wanted.items():
        if name not in given:
            continue
        shape, kind = given[name]
        if shape != right:
            yield f"{name} is {shape}, not {right}"
        elif kind in _OTHERS:
            yield f"{name} is {_OTHERS[kind]}, not float"
