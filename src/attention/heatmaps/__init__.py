"""Attention maps: tables on pages, pictures elsewhere, text in terminals."""

from attention.heatmaps.browser import HeadBrowser, head_browser
from attention.heatmaps.maps import Heatmap, heatmap

__all__ = ["HeadBrowser", "Heatmap", "head_browser", "heatmap"]
