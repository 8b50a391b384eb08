"""A model's weights, read from safetensors and put into place."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import torch
from torch import Tensor

from attention.gpt2.files import Source
from attention.gpt2.fit import TIED, bare, damaged
from attention.gpt2.model import GPT2

FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
PICKLES = ("pytorch_model.bin", "pytorch_model.bin.index.json")

# Our names and those of the published file. Its four linear maps are
# stored (in, out), as OpenAI's code has them; nn.Linear wants (out, in).
_MODEL = {
    "token_embedding": "wte",
    "position_embedding": "wpe",
    "norm": "ln_f",
}
_BLOCK = {
    "norm_1": "ln_1",
    "attn.qkv": "attn.c_attn",
    "attn.proj": "attn.c_proj",
    "norm_2": "ln_2",
    "mlp.up": "mlp.c_fc",
    "mlp.down": "mlp.c_proj",
}
_LINEAR = frozenset({"attn.qkv", "attn.proj", "mlp.up", "mlp.down"})


def weight_files(source: Source) -> tuple[Path, ...]:
    """Find the files that hold the weights, fetching them if allowed.

    Raises:
        ConnectionError: If one had to be fetched and could not be.
        FileNotFoundError: If there are none.
        ValueError: If there are only pickled ones, or the index that
            names the parts cannot be read.
    """
    whole = source.find(FILE)
    if whole is not None:
        return (whole,)
    index = source.find(INDEX)
    if index is not None:
        return tuple(source.need(name) for name in parts(index))
    # Half a gigabyte is not fetched only to be refused.
    pickled = [name for name in PICKLES if source.find_here(name)]
    if pickled:
        raise ValueError(
            f"{source.name}: {pickled[0]} is a pickle, which can run any "
            f"code when it is read; save the model as {FILE}"
        )
    raise FileNotFoundError(f"{source.name}: {source.lack((FILE,))}")


def parts(index: Path) -> list[str]:
    """Read which files hold the weights of a model saved in parts.

    Raises:
        ValueError: If the index cannot be read, or names a file outside
            of its own folder.
    """
    with index.open(encoding="utf-8") as file:
        try:
            names = sorted(set(json.load(file)["weight_map"].values()))
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            RecursionError,
        ) as error:
            raise ValueError(
                f"{index}: not an index of weights ({error!r}); "
                "fetch it again"
            ) from error
    for name in names:
        if "\\" in str(name) or PurePosixPath(str(name)).name != name:
            raise ValueError(
                f"{index}: {name!r} is no file beside it; fetch it again"
            )
    return names


def fingerprints(files: Iterable[Path]) -> dict[str, str]:
    """Give the SHA-256 of each file, by its name."""
    found = {}
    for path in files:
        with path.open("rb") as file:
            found[path.name] = hashlib.file_digest(
                file, "sha256"
            ).hexdigest()
    return found


def read_weights(files: Iterable[Path]) -> dict[str, Tensor]:
    """Read all tensors of some safetensors files.

    Raises:
        ValueError: If a file is damaged or cut short.
    """
    # Here, so that the model alone needs nothing but PyTorch.
    from safetensors import SafetensorError
    from safetensors.torch import load

    tensors: dict[str, Tensor] = {}
    for path in files:
        # Read by Python and not by the library, so that whoever watches
        # which files a page opens sees this one too.
        with path.open("rb") as file:
            content = file.read()
        try:
            tensors |= load(content)
        except (SafetensorError, KeyError) as error:
            raise damaged(path, error) from error
    return tensors


def fill(model: GPT2, tensors: Mapping[str, Tensor], where: str) -> None:
    """Copy published weights into a model.

    Args:
        model: The model, of the sizes that `check_fit` has found.
        tensors: The weights, under their published names, with or without
            ``transformer.`` in front.
        where: Where they come from, for messages.

    Raises:
        ValueError: If the head is not the token embedding.
    """
    given = {bare(name): tensor for name, tensor in tensors.items()}
    head = given.get(TIED)
    # Only the numbers tell, so this is the one thing that no header does.
    if head is not None and not torch.equal(head, given["wte.weight"]):
        raise ValueError(
            f"{where}: not this GPT-2: {TIED} differs from wte.weight, "
            "which is the head here"
        )
    places = dict(model.named_parameters())
    with torch.no_grad():
        for ours, theirs, turned in names(model):
            tensor = given[theirs]
            places[ours].copy_(tensor.T if turned else tensor)


def names(model: GPT2) -> Iterator[tuple[str, str, bool]]:
    """Give each parameter's name, its published one, whether to turn it."""
    for ours in dict(model.named_parameters()):
        layer, _, kind = ours.rpartition(".")
        inside = re.fullmatch(r"blocks\.(\d+)\.(.*)", layer)
        if inside is None:
            yield ours, f"{_MODEL[layer]}.{kind}", False
            continue
        number, part = inside.groups()
        turned = part in _LINEAR and kind == "weight"
        yield ours, f"h.{number}.{_BLOCK[part]}.{kind}", turned
