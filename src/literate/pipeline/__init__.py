"""The only place where the stages meet: from files to pages, findings and edits."""

import importlib
from typing import TYPE_CHECKING, Any

from literate.cache import Attachment
from literate.pipeline.chapters import Chapter, chapter_of_text, find_chapters, open_chapter
from literate.pipeline.pages import (
    Plain,
    Rendered,
    fill,
    formulas,
    last_change,
    links_from,
    list_numbers,
    local_path,
    notebook,
    notebook_page,
    plain,
    rendered,
)
from literate.pipeline.previews import OvertakenError, Preview
from literate.pipeline.runs import (
    Page,
    Progress,
    before_running,
    end_on_request,
    open_cache,
    run_chapters,
)
from literate.settings import Settings, Site, find_site, site_settings

if TYPE_CHECKING:
    from literate.pipeline.changes import changes_since
    from literate.pipeline.edits import Change, difference, left_over, repair, save
    from literate.pipeline.parts import Part, by_part, parts_of, stopped_at
    from literate.pipeline.repeats import run_twice
    from literate.pipeline.reports import FORMATS, STATUSES, Coverage, coverage, report

__all__ = [
    "FORMATS",
    "STATUSES",
    "Attachment",
    "Change",
    "Chapter",
    "Coverage",
    "OvertakenError",
    "Page",
    "Part",
    "Plain",
    "Preview",
    "Progress",
    "Rendered",
    "Settings",
    "Site",
    "before_running",
    "by_part",
    "changes_since",
    "chapter_of_text",
    "coverage",
    "difference",
    "end_on_request",
    "fill",
    "find_chapters",
    "find_site",
    "formulas",
    "last_change",
    "left_over",
    "links_from",
    "list_numbers",
    "local_path",
    "notebook",
    "notebook_page",
    "open_cache",
    "open_chapter",
    "parts_of",
    "plain",
    "rendered",
    "repair",
    "report",
    "run_chapters",
    "run_twice",
    "save",
    "site_settings",
    "stopped_at",
]

_WHEN_ASKED_FOR = {
    "changes": ("changes_since",),
    "edits": ("Change", "difference", "left_over", "repair", "save"),
    "parts": ("Part", "by_part", "parts_of", "stopped_at"),
    "repeats": ("run_twice",),
    "reports": ("FORMATS", "STATUSES", "Coverage", "coverage", "report"),
}
"""What a site's build has no use for, and what takes half of the time to import."""


def __getattr__(name: str) -> Any:
    for module, names in _WHEN_ASKED_FOR.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
