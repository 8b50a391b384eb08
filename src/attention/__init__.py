"""Attention as the chapter teaches it: small, plain PyTorch modules."""

from attention.causal import CausalSelfAttention
from attention.fused import FusedCausalSelfAttention
from attention.heatmaps import Heatmap, heatmap
from attention.mask import causal_mask
from attention.one_head import OneHeadAttention

__all__ = [
    "CausalSelfAttention",
    "FusedCausalSelfAttention",
    "Heatmap",
    "OneHeadAttention",
    "causal_mask",
    "heatmap",
]
