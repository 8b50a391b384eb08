"""Run GPT-2 once on sixteen tokens and write a small record of what it did.

The chapter shows GPT-2's heads from this record, so that building it needs neither the weights
nor the network. With --download the half gigabyte of the weights is fetched into the cache that
huggingface_hub keeps; without it nothing is fetched. A folder with the files does as well.

The record holds the attention maps of all heads in thousandths, the likeliest next tokens at each
position, the versions, and the SHA-256 of the weights. Where the weights are those published as
openai-community/gpt2, it says so. The same weights and versions give the same bytes.

Exit status: 0 written; 1 not written, and why; 2 wrong usage.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from attention.gpt2 import check_record, load_gpt2, load_tokenizer, read_record
from attention.gpt2.files import open_source
from attention.gpt2.record import best, lower
from attention.gpt2.weights import fingerprints, weight_files

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "assets" / "gpt2.json"
LARGEST = 200_000  # bytes; a page loads it

SENTENCE = "The Time Traveller smiled at us."
TEXT = f"{SENTENCE} {SENTENCE}"
TOKENS = ["The", " Time", " Trave", "ller", " smiled", " at", " us", "."]
TOKENS += [" The", *TOKENS[1:]]

# Of model.safetensors in openai-community/gpt2, at its revision
# 607a30d783dfa663caf39e06633721c8d4cfcd7e (548,105,171 bytes).
PUBLISHED = "248dfc3911869ec493c76e65bf2fcf7f615828b0254c12b473182f0f81d3a707"


class RecordError(Exception):
    """Why there is no record, in one sentence."""


def say(text: str) -> None:
    """Report progress."""
    print(f"record_gpt2: {text}", file=sys.stderr, flush=True)


def run(source: str, download: bool) -> dict[str, Any]:
    """Load the model, run it once, and return the record."""
    torch.set_num_threads(1)  # the same sums in the same order on any number of cores
    place = open_source(source, download)
    say(f"reading the tokenizer of {source}")
    tokenizer = load_tokenizer(source, download=download)
    ids = tokenizer.encode(TEXT).ids
    tokens = [tokenizer.decode([token], skip_special_tokens=False) for token in ids]
    if tokens != TOKENS:
        raise RecordError(f"{source}: its tokenizer gives {tokens}, not {TOKENS}; use GPT-2's")
    say("reading the weights" + (", or fetching them first" if download else ""))
    model = load_gpt2(source, download=download)
    sha256 = fingerprints(weight_files(place))
    say(f"running {len(ids)} tokens through {model.config.n_layers} layers")
    with torch.no_grad():
        logits, weights = model(torch.tensor([ids]), layers=range(model.config.n_layers))
    if not all(part.isfinite().all() for part in (logits, *weights.values())):
        raise RecordError(f"{source}: the model gives numbers that are not finite")
    return {
        "format": check_record.FORMAT,
        "scale": check_record.SCALE,
        "text": TEXT,
        "tokens": tokens,
        "ids": ids,
        # A folder's path would say more of the machine than of the weights.
        "source": source if place.folder is None else place.folder.resolve().name,
        "sha256": sha256,
        "published": list(sha256.values()) == [PUBLISHED],
        "versions": versions(),
        "predictions": [
            [[tokenizer.decode([i], skip_special_tokens=False), i, share] for i, share in row]
            for row in best(logits[0])
        ],
        "maps": [lower(weights[layer][0]) for layer in sorted(weights)],
    }


def versions() -> dict[str, str]:
    """Return the versions of what the numbers depend on."""
    named = {name: importlib.metadata.version(name) for name in ("safetensors", "tokenizers")}
    return {"python": platform.python_version(), "torch": torch.__version__, **named}


def as_bytes(record: dict[str, Any]) -> bytes:
    """Return the record as JSON, a key a line and a layer a line."""
    entries = []
    for name, value in record.items():
        if name in {"maps", "predictions"}:
            rows = ",\n".join(json.dumps(row, separators=(",", ":")) for row in value)
            entries.append(f'"{name}": [\n{rows}\n]')
        else:
            entries.append(f'"{name}": {json.dumps(value)}')
    return ("{\n" + ",\n".join(entries) + "\n}\n").encode()


def write(content: bytes, path: Path) -> None:
    """Write a checked record at once: a reader finds the old one, the new one, or none."""
    if len(content) > LARGEST:
        raise RecordError(f"the record has {len(content):,} bytes, more than {LARGEST:,}")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
        # Within the folder, since that is readable by its owner only and a file in it is not.
        new = Path(folder, path.name)
        new.write_bytes(content)
        read_record(new)
        new.replace(path)


def main(arguments: list[str] | None = None) -> int:
    """Write the record as the command line asks."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--source",
        required=True,
        metavar="WHERE",
        help="a folder that holds the model, or a repository: openai-community/gpt2",
    )
    parser.add_argument(
        "--download", action="store_true", help="fetch what is missing (about 0.55 GB)"
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=OUT,
        metavar="FILE",
        help="where the record goes (default: docs/assets/gpt2.json, in the project's folder)",
    )
    options = parser.parse_args(arguments)
    try:
        record = run(options.source, options.download)
        content = as_bytes(record)
        write(content, options.out)
    except (RecordError, OSError, ValueError) as error:
        say(str(error))
        return 1
    which = "the published weights" if record["published"] else "other weights than published"
    print(f"record: {options.out}, {len(content):,} bytes, {which}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
