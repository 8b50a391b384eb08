"""Attention maps: tables on pages, pictures elsewhere, text in terminals."""

from attention.heatmaps.maps import Heatmap, heatmap

__all__ = ["Heatmap", "heatmap"]
