"""Train the copier and write its weights and the record of its training.

Takes a minute or two on one core. The same seed gives the same weights on the same
machine; on another kind of processor the last bits differ, and with them all that
follows, so there the figures may differ a little.

Exit status: 0 trained and written; 2 wrong usage, or the files cannot be written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import torch

from attention.copier import save_copier
from attention.copier.record import Checkpoint, save_record
from attention.copier.training import Settings, train

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "attention" / "copier"


def positive(text: str) -> int:
    """Read a whole number from 1 up."""
    number = int(text)
    if number < 1:
        raise ValueError(f"{number} is below 1")
    return number


def report(point: Checkpoint) -> None:
    """Tell on stderr how far the training has come."""
    previous = max(max(heads) for heads in point.previous_token)
    induction = max(max(heads) for heads in point.induction)
    print(
        f"step {point.step:5d}  loss {point.loss:.4f}  previous token {previous:.3f}  "
        f"induction {induction:.3f}  copied {point.accuracy:6.1%}",
        file=sys.stderr,
        flush=True,
    )


def read_arguments(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    usual = Settings()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=PACKAGE,
        metavar="DIR",
        help="where copier.safetensors and copier.json go (default: the package, "
        "whose own files they replace)",
    )
    parser.add_argument(
        "--steps",
        type=positive,
        default=usual.steps,
        metavar="N",
        help=f"how many batches to train on (default: {usual.steps})",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=usual.seed,
        metavar="N",
        help=f"decides the first parameters and all texts (default: {usual.seed})",
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Train as the command line asks."""
    options = read_arguments(arguments)
    if not options.out.is_dir():
        print(f"train_copier: {options.out} is no folder; make it first", file=sys.stderr)
        return 2
    # The order in which threads add up would show in the last bits.
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    copier, record = train(Settings(seed=options.seed, steps=options.steps), progress=report)

    weights, figures = options.out / "copier.safetensors", options.out / "copier.json"
    try:
        save_copier(copier, weights)
        save_record(record, figures)
    except OSError as error:
        print(f"train_copier: {error}", file=sys.stderr)
        return 2
    print(f"weights: {weights}, {weights.stat().st_size} bytes")
    print(f"record: {figures}, {record.seconds} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
