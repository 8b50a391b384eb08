"""How the copier is trained; `scripts/train_copier.py` runs it."""

import math
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attention.copier.model import Copier, CopierConfig
from attention.copier.record import Checkpoint, TrainingRecord
from attention.copier.scores import (
    copy_accuracy,
    induction_scores,
    previous_token_scores,
)
from attention.copier.texts import draw_repeated, draw_training_texts

TEST_SEED = (
    1_000_000  # fresh texts come from seeds that training never uses
)
TEST_TEXTS = 128
TEST_PERIOD = 8


@dataclass(frozen=True)
class Settings:
    """The settings of a training.

    Attributes:
        seed: Decides the first parameters and all texts.
        steps: How many batches.
        batch_size: Texts in a batch.
        learning_rate: Of Adam, at its highest.
        warm_up: Steps in which the learning rate rises to its highest.
            After them it falls to 0 along half a cosine.
        shortest: The shortest period of a text.
        longest: The longest.
        early: The first steps, in which most happens.
        often: Steps from one checkpoint to the next in these.
        seldom: Steps from one checkpoint to the next after them.
    """

    seed: int = 0
    steps: int = 2500
    batch_size: int = 64
    learning_rate: float = 6e-3
    warm_up: int = 100
    shortest: int = 4
    longest: int = 16
    early: int = 400
    often: int = 5
    seldom: int = 100


Progress = Callable[[Checkpoint], None]


def train(
    settings: Settings | None = None,
    config: CopierConfig | None = None,
    progress: Progress = lambda point: None,
) -> tuple[Copier, TrainingRecord]:
    """Train a copier from random parameters.

    All randomness comes from ``settings.seed``, and the random state of
    the caller stays as it is. The same settings give the same parameters
    on the same machine with the same number of threads.

    Args:
        settings: The settings; the usual ones if left out.
        config: The sizes; the usual ones if left out.
        progress: Called with each checkpoint as it is reached.

    Returns:
        The trained model, in evaluation mode, and the record.
    """
    settings, config = settings or Settings(), config or CopierConfig()
    began = time.monotonic()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        copier = Copier(config)

    points = []
    for point in run(copier, settings):
        progress(point)
        points.append(point)
    copier.eval()
    record = TrainingRecord(
        settings=asdict(settings),
        sizes=asdict(config),
        versions={
            "python": platform.python_version(),
            "torch": torch.__version__,
        },
        parameters=sum(p.numel() for p in copier.parameters()),
        seconds=round(time.monotonic() - began),
        accuracy=measure_periods(copier),
        checkpoints=points,
    )
    return copier, record


def run(copier: Copier, settings: Settings) -> Iterable[Checkpoint]:
    """Take all steps, and give a checkpoint now and then."""
    generator = torch.Generator().manual_seed(settings.seed)
    optimizer = torch.optim.Adam(copier.parameters())
    for step in range(settings.steps):
        every = settings.often if step < settings.early else settings.seldom
        if step % every == 0:
            yield examine(copier, settings, step)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, settings)
        loss = draw_loss(copier, settings, generator)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    yield examine(copier, settings, settings.steps)


def learning_rate(step: int, settings: Settings) -> float:
    """Rise along a line, then fall along half a cosine."""
    rise = min(1.0, (step + 1) / settings.warm_up)
    fall = (1 + math.cos(math.pi * step / settings.steps)) / 2
    return settings.learning_rate * rise * fall


def draw_loss(
    copier: Copier, settings: Settings, generator: torch.Generator
) -> Tensor:
    """Give the mean loss on a fresh batch, where the answer is known."""
    ids, predictable = draw_training_texts(
        settings.batch_size,
        copier.config.context_length,
        range(settings.shortest, settings.longest + 1),
        generator,
    )
    logits = copier(ids[:, :-1])
    return cross_entropy(logits[predictable], ids[:, 1:][predictable])


@torch.no_grad()
def examine(copier: Copier, settings: Settings, step: int) -> Checkpoint:
    """Measure the copier on texts that are never trained on."""
    ids = draw_repeated(TEST_TEXTS, TEST_PERIOD, TEST_SEED)
    _, weights = copier(ids, return_weights=True)
    generator = torch.Generator().manual_seed(TEST_SEED)
    kept = replace(settings, batch_size=TEST_TEXTS)
    return Checkpoint(
        step=step,
        loss=draw_loss(copier, kept, generator).item(),
        previous_token=previous_token_scores(weights).tolist(),
        induction=induction_scores(weights).tolist(),
        accuracy=copy_accuracy(copier, ids),
    )


def measure_periods(copier: Copier) -> dict[int, float]:
    """Measure the copying at every period that fits twice."""
    periods = range(1, copier.config.context_length // 2 + 1)
    return {
        period: copy_accuracy(
            copier, draw_repeated(TEST_TEXTS, period, TEST_SEED)
        )
        for period in periods
    }
