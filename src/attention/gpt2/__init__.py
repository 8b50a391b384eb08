"""GPT-2: the model, its weights, and the record of a run."""

from attention.gpt2.config import GPT2Config
from attention.gpt2.load import load_gpt2, load_tokenizer
from attention.gpt2.model import GPT2
from attention.gpt2.record import Prediction, Record, read_record

__all__ = [
    "GPT2",
    "GPT2Config",
    "Prediction",
    "Record",
    "load_gpt2",
    "load_tokenizer",
    "read_record",
]
