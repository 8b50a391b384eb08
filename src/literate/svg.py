"""SVG made fit for a page: ids of its own, the page's colours, no more bytes than needed."""

from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ET
from decimal import Decimal, InvalidOperation

__all__ = ["UnreadableSvgError", "for_file", "for_page"]

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"

_REFERENCE = re.compile(r"url\(\s*['\"]?#([^'\")]+)['\"]?\s*\)")
_NUMBER = re.compile(r"-?\d+\.\d{2,}")
_STEP = re.compile(r"([MLQCZ])([^A-Za-z]*)", re.IGNORECASE)
_NO_TURN = re.compile(r"rotate\(-?0(?: [^)]*)?\)")
_BLACK = re.compile(r"(?<![\w#-])(?:#000000|#000|black|rgb\(0,\s*0,\s*0\))(?![\w-])")
_FONT = re.compile(r"font:\s*([^;]*?)(\d[\d.]*px)\s+[^;\"]*")
_FAMILY = re.compile(r"font-family:[^;\"]*;?")
_BLANKS = re.compile(r"\s*([:;])\s*")
_LENGTH = re.compile(r"\s*([\d.]+)\s*(pt|px|in|cm|mm|)\s*\Z")
_PIXELS = {"pt": 4 / 3, "px": 1, "": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4}
_COORDINATES = {"d", "transform", "points", "x", "y", "width", "height", "r"} | {
    name + digit for name in ("x", "y") for digit in "12"
}
_POINTS = {"M": 1, "L": 1, "Q": 2, "C": 3}
"""How many points a command of a path takes."""

_IDS = ("aria-labelledby", "aria-describedby")


class UnreadableSvgError(ValueError):
    """Text that is not one SVG element."""


def for_page(svg: str, prefix: str, alt: str) -> str:
    """The drawing as it stands inside a page.

    Black follows the colour of the page's text, text takes the page's font, and
    coordinates keep one digit.

    Args:
        svg: an SVG document.
        prefix: goes before each id, so that two drawings on a page share none.
        alt: what the drawing shows, in words; empty for one that is described elsewhere.

    Raises:
        UnreadableSvgError: the text is not an SVG document.
    """
    root = _read(svg)
    width = _pixels(root.get("width", ""))
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    _rename(root, prefix)
    for element in root.iter():
        _restyle(element)
    if alt:
        root.set("role", "img")
        root.set("aria-label", alt)
    else:
        root.set("aria-hidden", "true")
    if width:
        root.set("style", f"width:{width:.0f}px")
    return _write(root)


def for_file(svg: str) -> str:
    """The drawing as a file of its own, black or white by the reader's theme.

    Raises:
        UnreadableSvgError: the text is not an SVG document.
    """
    root = _read(svg)
    for element in root.iter():
        _restyle(element)
    style = ET.Element(f"{{{SVG}}}style")
    style.text = "svg{color:#000}@media (prefers-color-scheme:dark){svg{color:#fff}}"
    root.insert(0, style)
    return _write(root) + "\n"


def _read(svg: str) -> ET.Element:
    try:
        root = ET.fromstring(svg)
    except ET.ParseError as error:
        raise UnreadableSvgError(f"this is not SVG: {error}") from error
    if root.tag not in {f"{{{SVG}}}svg", "svg"}:
        raise UnreadableSvgError(f"this is not SVG: its root is {root.tag!r}")
    root.set("fill", root.get("fill", "currentColor"))
    for parent in list(root.iter()):
        for child in list(parent):
            metadata = child.tag in {f"{{{SVG}}}metadata", "metadata"}
            if metadata or _is_background(child, parent):
                parent.remove(child)
            elif _is_rule_of_matplotlib(child):
                # A rule for `*` would reach the whole page.
                parent.remove(child)
                root.set("stroke-linejoin", "round")
    return root


def _is_background(element: ET.Element, parent: ET.Element) -> bool:
    """Whether it is a patch of matplotlib's with neither filling nor stroke."""
    style = _BLANKS.sub(r"\1", element.get("style", "")).strip("; ")
    return style == "fill:none" and parent.get("id", "").startswith("patch_")


def _is_rule_of_matplotlib(element: ET.Element) -> bool:
    return element.tag == f"{{{SVG}}}style" and (element.text or "").startswith("*{stroke-linejoin")


def _rename(root: ET.Element, prefix: str) -> None:
    """Prefix every id and every reference to one; drop ids that nothing refers to."""
    used = {reference for element in root.iter() for reference in _references(element)}
    for element in root.iter():
        for name, value in list(element.attrib.items()):
            if name == "id":
                if value in used:
                    element.set(name, prefix + value)
                else:
                    del element.attrib[name]
            elif name in {"href", f"{{{XLINK}}}href"} and value.startswith("#"):
                # Material's instant navigation takes a plain href for a link's.
                element.attrib.pop(name)
                element.set(f"{{{XLINK}}}href", f"#{prefix}{value[1:]}")
            elif name in _IDS:
                element.set(name, " ".join(prefix + word for word in value.split()))
            else:
                element.set(name, _REFERENCE.sub(rf"url(#{prefix}\1)", value))


def _references(element: ET.Element) -> list[str]:
    found: list[str] = []
    for name, value in element.attrib.items():
        if name in {"href", f"{{{XLINK}}}href"} and value.startswith("#"):
            found.append(value[1:])
        elif name in _IDS:
            found += value.split()
        else:
            found += _REFERENCE.findall(value)
    return found


def _restyle(element: ET.Element) -> None:
    for name in _COORDINATES & set(element.attrib):
        shorten = functools.partial(_short, 3 if name == "transform" else 1)
        value = _NUMBER.sub(shorten, element.attrib[name])
        value = " ".join(value.split())
        element.set(name, _relative(value) if name == "d" else value)
    if _NO_TURN.fullmatch(element.get("transform", "")):
        del element.attrib["transform"]
    for name in ("style", "fill", "stroke"):
        if name in element.attrib:
            element.set(name, _style(element.attrib[name]))


def _relative(path: str) -> str:
    """A path in steps from point to point: shorter, and alike where shapes are alike.

    Paths with other commands than matplotlib's, or in steps already, stay as they are.
    """
    steps = _STEP.findall(path)
    if "".join(command + rest for command, rest in steps) != path or not path.isascii():
        return path
    here = start = (Decimal(0), Decimal(0))
    pieces: list[str] = []
    for command, rest in steps:
        try:
            numbers = [Decimal(word) for word in rest.split()]
        except InvalidOperation:
            return path
        if command in "Zz":
            pieces.append("z")
            here = start
            continue
        points = list(zip(numbers[::2], numbers[1::2], strict=False))
        if command.islower() or len(numbers) != 2 * _POINTS[command]:
            return path
        moved = [(x - here[0], y - here[1]) for x, y in points]
        pieces.append(_one_step(command, moved))
        here = points[-1]
        start = here if command == "M" else start
    return "".join(pieces)


def _one_step(command: str, moved: list[tuple[Decimal, Decimal]]) -> str:
    (x, y) = moved[-1]
    if command == "L" and not y:
        return f"h{_plain(x)}"
    if command == "L" and not x:
        return f"v{_plain(y)}"
    numbers = " ".join(_plain(number) for point in moved for number in point)
    return command.lower() + numbers.replace(" -", "-")


def _plain(number: Decimal) -> str:
    """A decimal number without the zeros that say nothing."""
    text = f"{number.normalize():f}"
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def _style(value: str) -> str:
    value = _BLACK.sub("currentColor", value)
    value = _FONT.sub(r"font-size: \2", value)
    return _BLANKS.sub(r"\1", _FAMILY.sub("", value)).strip("; ")


def _short(digits: int, number: re.Match[str]) -> str:
    text = f"{float(number.group()):.{digits}f}".rstrip("0").rstrip(".")
    return "0" if text in {"", "-0"} else text


def _pixels(length: str) -> float:
    found = _LENGTH.match(length)
    return float(found[1]) * _PIXELS[found[2]] if found else 0.0


def _write(root: ET.Element) -> str:
    """One line of XML, which HTML reads as well."""
    ET.register_namespace("", SVG)
    ET.register_namespace("xlink", XLINK)
    _unwrap(root)
    for element in root.iter():
        for part in ("text", "tail"):
            blank = getattr(element, part)
            if blank is not None and not blank.strip():
                setattr(element, part, None)
    text = ET.tostring(root, encoding="unicode", short_empty_elements=True)
    return text.replace("\n", " ")


def _unwrap(parent: ET.Element) -> None:
    """Replace groups that say nothing by what they hold."""
    for child in parent:
        _unwrap(child)
    flat: list[ET.Element] = []
    for child in parent:
        bare = child.tag == f"{{{SVG}}}g" and not child.attrib
        flat += list(child) if bare else [child]
    parent[:] = flat
