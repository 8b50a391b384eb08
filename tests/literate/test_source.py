"""Places in a text, edits to it, and files that keep what was not edited."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from literate.source import Edit, Source, Span, apply, read, write

TEXTS = st.text(alphabet="ab é\n\r\t", max_size=60)


@pytest.mark.parametrize(
    ("text", "offset", "line", "column"),
    [
        ("", 0, 1, 1),
        ("ab\ncd", 0, 1, 1),
        ("ab\ncd", 2, 1, 3),
        ("ab\ncd", 3, 2, 1),
        ("ab\r\ncd", 4, 2, 1),
        ("ab\rcd", 3, 2, 1),
        ("é\n\né", 3, 3, 1),
        ("ab\n", 3, 2, 1),
    ],
)
def test_location_counts_lines_and_columns_from_one(
    text: str, offset: int, line: int, column: int
) -> None:
    where = Source("a.md", text).location(offset)
    assert (where.line, where.column) == (line, column)
    assert str(where) == f"a.md:{line}:{column}"


@given(TEXTS)
def test_location_of_every_offset_leads_back_to_it(text: str) -> None:
    source = Source("a.md", text)
    seen = {source.location(offset) for offset in range(len(text) + 1)}
    assert len(seen) == len(text) + 1


def test_edits_are_made_at_once_and_in_any_order() -> None:
    edits = [Edit(Span(3, 4), "D"), Edit(Span(0, 1), ""), Edit(Span(2, 2), "+")]
    assert apply("abcd", edits) == "b+cD"


def test_overlapping_edits_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap at offset 1"):
        apply("abcd", [Edit(Span(0, 2), ""), Edit(Span(1, 3), "")])


@pytest.mark.parametrize("data", [b"\xef\xbb\xbfa\r\nb", b"a\nb\n", b"", b"a\rb"])
def test_file_written_as_read_keeps_its_bytes(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(data)
    source = read(path)
    assert not source.text.startswith("\ufeff")
    assert write(path, source, source.text)
    assert path.read_bytes() == data


def test_file_changed_since_it_was_read_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"one")
    source = read(path)
    path.write_bytes(b"two")
    assert not write(path, source, "three")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.md"]


def test_write_goes_through_a_link_and_keeps_the_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "a.md", tmp_path / "link.md"
    target.write_bytes(b"one")
    target.chmod(0o640)
    try:
        link.symlink_to(target)
    except OSError:
        pytest.skip("this system makes no symbolic links")
    assert write(link, read(link), "two")
    assert link.is_symlink()
    assert target.read_bytes() == b"two"
    assert target.stat().st_mode & 0o777 == 0o640
