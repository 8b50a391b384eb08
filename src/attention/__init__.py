"""Attention as the chapter teaches it: small, plain PyTorch modules."""

from attention.causal import CausalSelfAttention
from attention.copier import (
    WORDS,
    Ablation,
    Copier,
    CopierConfig,
    TrainingRecord,
    ablate,
    copy_accuracy,
    decode,
    draw_repeated,
    encode,
    induction_scores,
    load_copier,
    load_record,
    previous_token_scores,
    without_head,
)
from attention.fused import FusedCausalSelfAttention
from attention.heatmaps import HeadBrowser, Heatmap, head_browser, heatmap
from attention.mask import causal_mask
from attention.one_head import OneHeadAttention

__all__ = [
    "WORDS",
    "Ablation",
    "CausalSelfAttention",
    "Copier",
    "CopierConfig",
    "FusedCausalSelfAttention",
    "HeadBrowser",
    "Heatmap",
    "OneHeadAttention",
    "TrainingRecord",
    "ablate",
    "causal_mask",
    "copy_accuracy",
    "decode",
    "draw_repeated",
    "encode",
    "head_browser",
    "heatmap",
    "induction_scores",
    "load_copier",
    "load_record",
    "previous_token_scores",
    "without_head",
]
