"""A small trained model that continues text which repeats itself."""

from attention.copier.experiments import Ablation, ablate, without_head
from attention.copier.model import Copier, CopierConfig
from attention.copier.record import TrainingRecord, load_record
from attention.copier.scores import (
    copy_accuracy,
    induction_scores,
    previous_token_scores,
)
from attention.copier.texts import WORDS, decode, draw_repeated, encode
from attention.copier.weights import load_copier, save_copier

__all__ = [
    "WORDS",
    "Ablation",
    "Copier",
    "CopierConfig",
    "TrainingRecord",
    "ablate",
    "copy_accuracy",
    "decode",
    "draw_repeated",
    "encode",
    "induction_scores",
    "load_copier",
    "load_record",
    "previous_token_scores",
    "save_copier",
    "without_head",
]
