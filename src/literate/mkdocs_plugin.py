"""The MkDocs plugin: literate pages run before the site is built, and show it."""

from __future__ import annotations

import contextlib
import gc
import glob
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority, get_plugin_logger
from mkdocs.structure.files import File, Files, get_files, set_exclusions
from mkdocs.structure.pages import Page as SitePage
from pygments.lexers import get_lexer_by_name

from literate import pipeline
from literate.errors import ExitStatus, Level, LiterateError, exit_status
from literate.markdown_extension import CodeExtension
from literate.mkdocs_extensions import unseen_blocks
from literate.mkdocs_interrupts import Interrupts
from literate.mkdocs_notebooks import Notebooks
from literate.mkdocs_pages import SitePages
from literate.mkdocs_templates import Templates

if TYPE_CHECKING:
    from mkdocs.livereload import LiveReloadServer

__all__ = ["LiteratePlugin"]

log = get_plugin_logger("literate")

STYLES, SCRIPT = "assets/literate.css", "assets/literate.js"
ASSETS = (STYLES, SCRIPT, "assets/literate-math.woff2", "assets/literate-math.OFL.txt")
FIRST, LAST = 1_000_000, -1_000_000
"""Before all plugins that fill in text, and behind them."""


class BlockFailed(Abort):
    """Ends a build because a block failed."""

    exit_code = code = int(ExitStatus.BLOCK_FAILED)


class LiteratePlugin(BasePlugin):  # type: ignore[type-arg]  # no Config class of MkDocs's
    """Runs the site's literate pages and puts what they gave into the site."""

    def __init__(self) -> None:
        self.serving = False
        self.preview: pipeline.Preview | None = None
        self.site: pipeline.Site | None = None
        self.pages = SitePages()
        self.notebooks = Notebooks()
        self.templates = Templates()
        self.interrupts = Interrupts(log.info)

    def load_config(
        self, options: dict[str, Any], config_file_path: str | None = None
    ) -> tuple[list[tuple[str, Exception]], list[tuple[str, str]]]:
        """Check the plugin's entry of ``mkdocs.yml``."""
        root = Path(config_file_path).parent if config_file_path else Path.cwd()
        self.config = options
        try:
            settings = pipeline.site_settings(root, options)
        except LiterateError as error:
            return [("literate", ValueError(str(error)))], []
        self.site = pipeline.Site(root, root, settings)
        return [], []

    def on_startup(self, *, command: Literal["build", "gh-deploy", "serve"], dirty: bool) -> None:
        """Remember whether this is a preview; keeps the plugin over rebuilds."""
        self.serving = command == "serve"
        pipeline.end_on_request()

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Add the styles, and watch the code that pages import."""
        assert self.site is not None
        if STYLES not in config.extra_css:
            config.extra_css.insert(0, STYLES)
            config.extra_javascript.append(SCRIPT)
        config.markdown_extensions.append(CodeExtension(self.pages.codes))
        for folder in self.site.settings.watch:
            path = self.site.root / folder
            if path.is_dir() and str(path) not in config.watch:
                config.watch.append(str(path))
        return config

    def on_pre_build(self, *, config: MkDocsConfig) -> None:
        """Run the pages, before MkDocs clears the folder of the old site."""
        assert self.site is not None
        # All that there is by now, and then all that the pages gave, stays until the site is
        # written. The collector would look through it again and again.
        gc.freeze()
        self.pages.begin(self.site.settings.numbers, pipeline.last_change(self.site.root))
        files = get_files(config)
        set_exclusions(files, config)
        self._run(files.documentation_pages(), files, config)
        self._keep_from_jupyter(files, config)
        if not self.serving:
            self.interrupts.hold()
        gc.freeze()

    def _keep_from_jupyter(self, files: Files, config: MkDocsConfig) -> None:
        """Have mkdocs-jupyter leave literate pages alone, also those it could read."""
        jupyter = config.plugins.get("mkdocs-jupyter")
        if jupyter is None:
            return
        ignored = jupyter.config["ignore"]
        for name in self.pages.ran:
            file = files.get_file_from_path(name)
            pattern = glob.escape(str(file.abs_src_path)) if file else ""
            if pattern and pattern not in ignored:
                ignored.append(pattern)

    @event_priority(100)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Add the styles and the font, and run pages that other plugins made."""
        made = [
            file
            for file in files.documentation_pages()
            if file.src_uri not in self.pages.ran and file.generated_by
        ]
        self._run(made, files, config)
        assert self.site is not None
        listing = self.site.settings.numbers
        if listing and files.get_file_from_path(listing) is None:
            raise Abort(f"literate: numbers: {listing} is no page of the site; write one")
        package = Path(__file__).parent
        for name in ASSETS:
            file = File(name, str(package), config.site_dir, config.use_directory_urls)
            files.append(file)
        self.notebooks.add(self.pages.ran, files, config, self.serving)
        return files

    @event_priority(FIRST)
    def on_page_markdown(
        self, markdown: str, *, page: SitePage, config: MkDocsConfig, files: Files
    ) -> str:
        """Give MkDocs the page with its options taken out and placeholders put in."""
        self.notebooks.describe(page)
        return self.pages.markdown(markdown, page.file, files)

    @event_priority(LAST)
    def on_page_content(
        self, html: str, *, page: SitePage, config: MkDocsConfig, files: Files
    ) -> str:
        """Put results into their places, and MathML for formulas."""
        assert self.site is not None
        if self.site.settings.mathematics:
            html, problems = pipeline.formulas(html)
            if page.file.src_uri not in self.pages.ran:
                for problem in problems:
                    log.warning(f"{page.file.src_uri}: {problem}")
        filled = self.pages.content(html, page.file, files)
        if filled is None:
            return self.notebooks.content(html, page, files, config)
        return self.notebooks.links(page.file.src_uri, page, files) + filled

    @event_priority(LAST)
    def on_env(self, env: Environment, *, config: MkDocsConfig, files: Files) -> Environment:
        """Have the theme's templates compiled once."""
        self._open_templates()
        self.templates.use(env)
        return env

    def _open_templates(self) -> None:
        assert self.site is not None
        cache = pipeline.open_cache(self.site, pipeline.Progress(log.info).warn)
        self.templates.open(cache.attachment("templates") if cache else None)

    def _complete(self, *, config: MkDocsConfig) -> None:
        """Put the notebooks into the site."""
        self.notebooks.copy(config)
        self.templates.keep()

    @event_priority(LAST)
    def _finish(self, *, config: MkDocsConfig) -> None:
        """Let an interrupt that came while the site was written end the build."""
        gc.unfreeze()
        self.interrupts.release()

    on_post_build = CombinedEvent(_complete, _finish)

    def on_build_error(self, *, error: Exception) -> None:
        """Keep no interrupt of a build that has failed."""
        gc.unfreeze()
        self.interrupts.release()

    def on_serve(
        self, server: LiveReloadServer, *, config: MkDocsConfig, builder: Any
    ) -> LiveReloadServer:
        """Learn of what is saved at once, and stop what it makes run in vain."""
        # No build needs it, and importing it takes as long as all else of one.
        from literate.preview import watch

        watch(server, self._saved)
        return server

    def on_shutdown(self) -> None:
        """End the processes that a preview keeps, and take away what was written for it."""
        self.notebooks.close()
        if self.preview:
            self.preview.end()
            self.preview = None
        # The process ends, and looking through all that it holds for cycles first is a tenth
        # of a small build.
        gc.freeze()

    def _saved(self, path: Path) -> None:
        if self.preview:
            self.preview.saved(path)

    def _run(self, which: Sequence[File], files: Files, config: MkDocsConfig) -> None:
        """Run those of the site's files that are literate; log or abort on findings."""
        assert self.site is not None
        if self.serving and self.preview is None:
            self.preview = pipeline.Preview(self.site.root)
        pages = None
        while pages is None:
            literate: list[File] = []
            # What was saved in the meantime is read anew, and goes on from where it changed.
            with contextlib.suppress(pipeline.OvertakenError):
                pages = pipeline.run_chapters(
                    self._opened(which, literate),
                    self.site,
                    pipeline.Progress(log.info),
                    preview=self.preview,
                    meanwhile=lambda: self._make_ready(config),
                    done=self.pages.adding(which, literate, files),
                )
        self._judge(pages, config.strict)
        unseen = unseen_blocks(pages, config)
        if unseen and not self.serving:
            raise Abort("\n".join(unseen))
        for problem in unseen:
            log.error(problem)

    def _make_ready(self, config: MkDocsConfig) -> None:
        """Do what needs no results while they are made."""
        self._open_templates()
        self.templates.warm(config.theme)
        # The first use of it makes a hundred regular expressions.
        get_lexer_by_name("python")

    def _opened(self, which: Sequence[File], literate: list[File]) -> Iterator[pipeline.Chapter]:
        """Open those of the files that are literate, which the list comes to hold."""
        for file in which:
            chapter = self._open(file)
            if chapter:
                literate.append(file)
                yield chapter

    def _open(self, file: File) -> pipeline.Chapter | None:
        assert self.site is not None
        try:
            if file.abs_src_path:
                return pipeline.open_chapter(Path(file.abs_src_path), self.site)
            return pipeline.chapter_of_text(file.content_string, file.src_uri, self.site)
        except LiterateError as error:
            raise Abort(str(error)) from error

    def _judge(self, pages: list[pipeline.Page], strict: bool) -> None:
        """Say what is to be put right; a build ends at what makes the page untrue."""
        findings = [finding for page in pages for finding in page.findings]
        for finding in findings:
            # A warning of MkDocs's own would fail a strict build; ours never do.
            if finding.level is Level.WARNING:
                log.info(f"warning: {finding}")
            elif finding.level is Level.FAILURE:
                log.error(f"{finding}\n{finding.detail}".rstrip())
            else:
                log.warning(str(finding))
        status = exit_status(findings)
        if self.serving:
            return
        if status is ExitStatus.BLOCK_FAILED:
            raise BlockFailed("a block failed, so the site was not built")
        if status is ExitStatus.FINDINGS and strict:
            raise Abort(f"{len(findings)} findings in literate pages; the site was not built")
