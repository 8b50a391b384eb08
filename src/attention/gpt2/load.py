"""GPT-2 and its tokenizer, loaded from a folder or the hub."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from attention.gpt2.config import GPT2Config
from attention.gpt2.files import Source, open_source
from attention.gpt2.fit import check_fit
from attention.gpt2.model import GPT2
from attention.gpt2.weights import fill, read_weights, weight_files

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def load_gpt2(source: str | Path, *, download: bool = False) -> GPT2:
    """Load a GPT-2 with its trained weights, ready to run.

    Args:
        source: A folder with ``config.json`` and ``model.safetensors``, or
            the parts and their index; or a repository of the hub, such as
            ``openai-community/gpt2``.
        download: Whether a repository's files may be fetched. If not,
            only the hub's cache on this machine is looked at. A folder
            never needs the network.

    Returns:
        The model in float32, in evaluation mode.

    Raises:
        ConnectionError: If a file could not be fetched.
        FileNotFoundError: If a file is not there.
        ValueError: If a file is damaged, the settings are not supported,
            or the tensors are not those of the model.
    """
    place = open_source(source, download)
    config = GPT2Config.from_json(place.need("config.json"))
    files = weight_files(place)
    where = str(files[0].parent)
    check_fit(config, files, where)
    model = GPT2(config).eval()
    fill(model, read_weights(files), where)
    return model


def load_tokenizer(
    source: str | Path, *, download: bool = False
) -> "Tokenizer":
    """Load the tokenizer that belongs to a model.

    Args:
        source: As for `load_gpt2`: a folder or repository with
            ``tokenizer.json``, or with ``vocab.json`` and ``merges.txt``.
        download: As for `load_gpt2`.

    Returns:
        A ``tokenizers.Tokenizer``; ``encode(text).ids`` gives the ids.

    Raises:
        ConnectionError: If a file could not be fetched.
        FileNotFoundError: If a file is not there.
        ValueError: If a file cannot be read as what it should be.
    """
    place = open_source(source, download)
    path = place.need("tokenizer.json", "vocab.json")
    if path.name == "vocab.json":
        return _from_parts(path, place)
    from tokenizers import Tokenizer  # late: the model needs none

    with path.open(encoding="utf-8") as file:
        try:
            return Tokenizer.from_str(file.read())
        except Exception as error:  # it raises nothing more precise
            raise ValueError(
                f"{path}: not a tokenizer: {error}; fetch it again"
            ) from error


def _from_parts(vocab: Path, place: Source) -> "Tokenizer":
    """Build the tokenizer from its vocabulary and its list of merges."""
    from tokenizers import AddedToken, Tokenizer
    from tokenizers.decoders import ByteLevel as Decoder
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel

    merges = place.need("merges.txt")
    with vocab.open(encoding="utf-8") as file:
        try:
            ids = json.load(file)
            tokenizer = Tokenizer(BPE(ids, _read_merges(merges)))
        except Exception as error:  # of JSON, of ours, of the library's
            raise ValueError(
                f"{vocab}, {merges.name}: not a vocabulary and its merges: "
                f"{error}; fetch both again"
            ) from error
    tokenizer.pre_tokenizer = ByteLevel(add_prefix_space=False)
    tokenizer.decoder = Decoder()
    end = "<|endoftext|>"
    if end in ids:
        tokenizer.add_special_tokens([AddedToken(end, special=True)])
    return tokenizer


def _read_merges(path: Path) -> list[tuple[str, str]]:
    """Read pairs, one a line; the first line may tell the version."""
    pairs = []
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            pair = line.split()
            if not pair or (number == 1 and line.startswith("#version")):
                continue
            if len(pair) != 2:
                raise ValueError(f"line {number} of {path.name} is no pair")
            pairs.append((pair[0], pair[1]))
    return pairs
