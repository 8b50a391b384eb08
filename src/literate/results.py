"""What running a chapter gave: frozen values that travel between processes."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["BlockResult", "ChapterResult", "ClaimValue", "Failure", "Rich", "Text"]


@dataclass(frozen=True)
class Text:
    """Text that a block put out, with control characters already resolved."""

    text: str


@dataclass(frozen=True)
class Rich:
    """A rich result: content by media type, images of bytes in base64."""

    data: dict[str, str]

    @property
    def is_figure(self) -> bool:
        """Whether it is a picture, which needs words for those who cannot see it."""
        return "text/html" not in self.data

    @property
    def large(self) -> int:
        """Characters of the SVG that these pixels stand in for; 0 for anything else."""
        return int(self.data.get("application/x-literate-large", 0))


@dataclass(frozen=True)
class Failure:
    """Why a block did not end as it should.

    ``line`` is the line of the chapter on which it stopped, None where nobody
    can know it (the process died, or was ended). ``column`` counts from 1 in the
    block's code, without what its container puts before the line.
    """

    what: str
    todo: str = ""
    line: int | None = None
    traceback: str = ""
    column: int | None = None


@dataclass(frozen=True)
class BlockResult:
    """What one block gave.

    ``raised`` is the last line of the traceback that the block had promised;
    ``listing`` is the source of the object that a ``source=`` block shows, and
    ``imported`` the statement that imports it.
    ``seconds`` is wall-clock time.
    """

    index: int
    parts: tuple[Text | Rich, ...] = ()
    raised: str = ""
    listing: str | None = None
    failure: Failure | None = None
    seconds: float = field(default=0.0, compare=False)
    imported: str = ""

    @property
    def text(self) -> str:
        """The block's output as it stands in an output block."""
        pieces = [part.text for part in self.parts if isinstance(part, Text)]
        return "\n".join(piece.rstrip("\n") for piece in [*pieces, self.raised] if piece)

    @property
    def rich(self) -> tuple[Rich, ...]:
        """The results that are more than text, in order."""
        return tuple(part for part in self.parts if isinstance(part, Rich))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BlockResult:
        """Read back what `to_json` gave."""
        parts = tuple(
            Text(part["text"]) if "text" in part else Rich(part["data"]) for part in data["parts"]
        )
        failure = Failure(**data["failure"]) if data["failure"] else None
        return cls(**{**data, "parts": parts, "failure": failure})

    def to_json(self) -> dict[str, Any]:
        """A value of lists, mappings and plain values."""
        return asdict(self)


@dataclass(frozen=True)
class ClaimValue:
    """What a claim's expression gave.

    ``kind`` is ``number`` (``text`` holds it at full precision), ``truth`` (``True``
    or ``False``) or ``text``; ``forms`` are the ways in which a code span may show
    it. ``error`` says why there is no value; ``fatal`` that the page ended there.
    """

    index: int
    kind: str = ""
    text: str = ""
    forms: tuple[str, ...] = ()
    error: str = ""
    fatal: bool = False

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ClaimValue:
        """Read back what `to_json` gave."""
        return cls(**{**data, "forms": tuple(data["forms"])})

    def to_json(self) -> dict[str, Any]:
        """A value of lists, mappings and plain values."""
        return asdict(self)


@dataclass(frozen=True)
class ChapterResult:
    """What a page gave: results of the blocks and claims that ran, and with what.

    ``versions`` holds Python's and those of the main packages that were imported,
    ``missing`` the resources that are not here, with how to get them.
    """

    blocks: dict[int, BlockResult] = field(default_factory=dict)
    claims: dict[int, ClaimValue] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def failed(self) -> BlockResult | None:
        """The block at which the page stopped, if it did."""
        return next((block for block in self.blocks.values() if block.failure), None)

    @property
    def stopped(self) -> bool:
        """Whether the page came to no end, at a block or at a claim."""
        return bool(self.failed) or any(claim.fatal for claim in self.claims.values())

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> ChapterResult:
        """Read back what `to_json` gave."""
        blocks = [BlockResult.from_json(block) for block in data["blocks"]]
        claims = [ClaimValue.from_json(claim) for claim in data["claims"]]
        return cls(
            {block.index: block for block in blocks},
            {claim.index: claim for claim in claims},
            data["versions"],
            data["missing"],
        )

    def to_json(self) -> dict[str, Any]:
        """A value of lists, mappings and plain values."""
        blocks = [block.to_json() for block in self.blocks.values()]
        claims = [claim.to_json() for claim in self.claims.values()]
        plain = {"versions": self.versions, "missing": self.missing}
        return {"blocks": blocks, "claims": claims, **plain}
