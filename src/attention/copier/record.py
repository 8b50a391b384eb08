"""What is known of a training: its settings, figures and curve."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("copier.json")

HeadScores = list[list[float]]
"""One score for each head, ``[layer][head]``."""


@dataclass(frozen=True)
class Checkpoint:
    """How far the training had come after some of its steps.

    Attributes:
        step: How many steps had been taken.
        loss: The loss on texts kept apart, in nats per word.
        previous_token: `previous_token_scores` of all heads.
        induction: `induction_scores` of all heads.
        accuracy: `copy_accuracy`, from 0 to 1.
    """

    step: int
    loss: float
    previous_token: HeadScores
    induction: HeadScores
    accuracy: float


@dataclass(frozen=True)
class TrainingRecord:
    """A training, from its seed to its result.

    Attributes:
        settings: Seed, steps and the other settings, by name.
        sizes: The sizes of the model, as in `CopierConfig`.
        versions: The versions of Python and PyTorch.
        parameters: The number of parameters.
        seconds: How long it took.
        accuracy: For each period, `copy_accuracy` on fresh texts.
        checkpoints: From before the first step to after the last.
    """

    settings: dict[str, float]
    sizes: dict[str, int]
    versions: dict[str, str]
    parameters: int
    seconds: int
    accuracy: dict[int, float]
    checkpoints: list[Checkpoint]

    @property
    def final(self) -> Checkpoint:
        """The checkpoint after the last step."""
        return self.checkpoints[-1]


def load_record(path: Path | str = FILE) -> TrainingRecord:
    """Load the record of a training; without argument, of our copier.

    Args:
        path: The JSON file beside the weights.

    Returns:
        The record.

    Raises:
        ValueError: If the file is missing or no such record.
    """
    try:
        fields = json.loads(Path(path).read_text("utf-8"))
        fields["checkpoints"] = [
            Checkpoint(**point) for point in fields["checkpoints"]
        ]
        fields["accuracy"] = {
            int(period): share
            for period, share in fields["accuracy"].items()
        }
        return TrainingRecord(**fields)
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        RecursionError,
    ) as error:
        raise ValueError(
            f"{path}: no record of a training ({error}); "
            "python scripts/train_copier.py makes it anew"
        ) from error


def save_record(record: TrainingRecord, path: Path | str) -> None:
    """Write the record as JSON, a checkpoint a line, to four decimals.

    Args:
        record: The record.
        path: Where the file goes; its folder must exist.
    """
    fields = round_floats(asdict(record))
    points = ",\n  ".join(map(json.dumps, fields.pop("checkpoints")))
    lines = [f'"{name}": {json.dumps(fields[name])}' for name in fields]
    lines.append(f'"checkpoints": [\n  {points}\n ]')
    text = "{\n " + ",\n ".join(lines) + "\n}\n"
    Path(path).write_text(text, "utf-8", newline="\n")


def round_floats(fields: dict[str, Any]) -> dict[str, Any]:
    """Round to four decimals: later ones differ between machines."""

    def read(text: str) -> float:
        return round(float(text), 4)

    rounded: dict[str, Any] = json.loads(
        json.dumps(fields), parse_float=read
    )
    return rounded
