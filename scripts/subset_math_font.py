"""Cut a mathematical OpenType font down to what formulas on a page need.

    python scripts/subset_math_font.py STIXTwoMath-Regular.otf OUTPUT.woff2

A mathematical font carries thousands of glyphs and, in its MATH table, the measures by which a
browser sets fractions, roots and growing brackets. This keeps the table, the characters listed in
`CHARACTERS`, and every larger form that the table offers for them. It also changes what browsers
handle badly: see `lower_primes`, `settle_line_height`, `narrow_roots`, `level_scripts` and
`widen_arrows`.

The shipped file was made from STIX Two Math 2.12, which the TeX collection distributes as
`STIXTwoMath-Regular.otf` (package stix2-otf). It needs `fonttools` and `brotli`, which nothing
else here does. The same font gives the same bytes.
"""

import argparse
from pathlib import Path

from fontTools.pens.boundsPen import BoundsPen
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.transformPen import TransformPen
from fontTools.subset import Options, Subsetter, load_font, save_font
from fontTools.ttLib import TTFont

TEXT = (
    range(0x20, 0x7F),  # ASCII
    range(0xA0, 0x180),  # Latin letters with accents, for \text
    range(0x391, 0x3CA),  # Greek
    (0x3D1, 0x3D5, 0x3D6, 0x3F0, 0x3F1, 0x3F5),  # ϑ ϕ ϖ ϰ ϱ ϵ
    (0x131, 0x237),  # dotless i and j, under accents
    range(0x2010, 0x2027),  # dashes, quotation marks, dots
)

ACCENTS = (
    (0x2C6, 0x2C7, 0x2D8, 0x2D9, 0x2DA, 0x2DC, 0x5E, 0x60, 0xA8, 0xAF, 0xB4),
    (*range(0x300, 0x309), 0x30A, 0x30C, 0x332, 0x338),
    range(0x20D6, 0x20D8),  # arrows above
    (0x203E, 0x20D0, 0x20D1, 0x20DB, 0x23DE, 0x23DF, 0x23B4, 0x23B5),  # lines and braces
)

ALPHABETS = (
    range(0x1D400, 0x1D434),  # bold
    range(0x1D434, 0x1D49C),  # italic, bold italic
    range(0x1D49C, 0x1D4D0),  # script
    range(0x1D538, 0x1D56C),  # double-struck
    range(0x1D5A0, 0x1D5D4),  # sans serif
    range(0x1D670, 0x1D6A4),  # typewriter
    range(0x1D6A4, 0x1D6A6),  # italic dotless i and j
    range(0x1D6A8, 0x1D756),  # Greek: bold, italic, bold italic
    range(0x1D7CE, 0x1D7E2),  # digits: bold, double-struck
    range(0x1D7E2, 0x1D7EC),  # digits: sans serif
    range(0x1D7F6, 0x1D800),  # digits: typewriter
    # Letters of those alphabets that Unicode had already placed elsewhere.
    (0x2102, 0x210A, 0x210B, 0x210D, 0x210E, 0x210F, 0x2110, 0x2112, 0x2113, 0x2115, 0x2119),
    (0x211A, 0x211B, 0x211D, 0x2124, 0x212C, 0x212F, 0x2130, 0x2131, 0x2133, 0x2134),
)

OPERATORS = (
    (0x2032, 0x2033, 0x2034, 0x2035, 0x2044, 0x2057),  # primes, fraction slash
    (0x2135, 0x2118, 0x2111, 0x211C),  # ℵ ℘ ℑ ℜ
    range(0x2190, 0x2196),  # arrows
    (0x2196, 0x2197, 0x2198, 0x2199, 0x21A6, 0x21A9, 0x21AA, 0x21C4, 0x21CC),
    range(0x21D0, 0x21D6),
    (0x27F5, 0x27F6, 0x27F7, 0x27F8, 0x27F9, 0x27FA, 0x27FC),
    range(0x2200, 0x2212),  # quantifiers, sums
    range(0x2212, 0x2242),  # minus to tilde
    (0x2243, 0x2245, 0x2248, 0x224D, 0x2250, 0x2254, 0x2255, 0x225C, 0x225D, 0x225F),
    (0x2241, 0x2244, 0x2247, 0x2249, 0x2260, 0x2261, 0x2262, 0x2264, 0x2265, 0x2266, 0x2267),
    (0x226A, 0x226B, 0x226E, 0x226F, 0x2270, 0x2271, 0x227A, 0x227B, 0x2272, 0x2273),
    range(0x2282, 0x228C),  # subsets
    range(0x2293, 0x22A6),  # circled operators, turnstiles
    (0x22A8, 0x22C0, 0x22C1, 0x22C2, 0x22C3, 0x22C4, 0x22C5, 0x22C6, 0x22C8),
    (0x22EE, 0x22EF, 0x22F0, 0x22F1),  # dots
    (0x25A0, 0x25A1, 0x25B3, 0x25B7, 0x25CB, 0x25E6, 0x25CF, 0x2605, 0x2713),
    (0x2A00, 0x2A01, 0x2A02, 0x2A04, 0x2A06, 0x2A7D, 0x2A7E, 0x2AAF, 0x2AB0),
)

DELIMITERS = (
    (0x2016, 0x2308, 0x2309, 0x230A, 0x230B, 0x27E6, 0x27E7, 0x27E8, 0x27E9, 0x27EA, 0x27EB),
    range(0x239B, 0x23AE),  # pieces of tall brackets
    (0x23D0, 0x23B0, 0x23B1, 0x2223, 0x2225, 0x2980),
)

INVISIBLE = (
    range(0x2000, 0x200E),  # spaces
    (0x202F, 0x205F, *range(0x2060, 0x2065)),
    (0xFE00, 0xFE01),  # choose between two styles of script letters
)

CHARACTERS = frozenset(
    code
    for group in (TEXT, ACCENTS, ALPHABETS, OPERATORS, DELIMITERS, INVISIBLE)
    for codes in group
    for code in codes
)

# Dotless letters and flat accents. Forms for small sizes (ssty) would add 70 KB, and Chromium
# does not use them.
FEATURES = ["dtls", "flac", "ccmp"]

PRIMES = (0x2032, 0x2033, 0x2034, 0x2035, 0x2057)
ROOT = 0x221A
LETTERS = (*range(0x41, 0x5B), *range(0x61, 0x7B), *range(0x1D434, 0x1D468), 0x28, 0x29)
ARROWS_ABOVE = (0x20D6, 0x20D7)

USE_TYPO_METRICS = 1 << 7


def subset(font: TTFont) -> None:
    """Drop from `font` all that is not needed, in place."""
    options = Options()
    options.layout_features = FEATURES
    options.notdef_outline = True
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    options.hinting = False
    options.desubroutinize = True
    options.drop_tables = ["DSIG", "GPOS", "PfEd", "FFTM"]
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=CHARACTERS)
    subsetter.subset(font)


def settle_line_height(font: TTFont) -> None:
    """Let every browser take the same ascent and descent.

    Some read the "win" measures, which in a mathematical font cover the tallest bracket, and
    would push the lines of a paragraph apart around one letter.
    """
    font["OS/2"].fsSelection |= USE_TYPO_METRICS
    font["OS/2"].sTypoLineGap = 0
    font["hhea"].lineGap = 0


def lower_primes(font: TTFont) -> None:
    """Draw primes as they should look within a superscript.

    A prime comes raised, for use without a superscript; within one it is to be exchanged for the
    first of its `ssty` forms. Formulas always have it within one, and Chromium does not exchange.
    Call this before subsetting drops the feature.
    """
    forms = {}
    for record in font["GSUB"].table.FeatureList.FeatureRecord:
        if record.FeatureTag == "ssty":
            for index in record.Feature.LookupListIndex:
                for subtable in font["GSUB"].table.LookupList.Lookup[index].SubTable:
                    subtable = getattr(subtable, "ExtSubTable", subtable)
                    forms.update(getattr(subtable, "alternates", {}))
    for table in font["cmap"].tables:
        if table.isUnicode() and table.format != 14:
            for code in PRIMES:
                table.cmap[code] = forms.get(table.cmap[code], [table.cmap[code]])[0]


def narrow_roots(font: TTFont) -> None:
    """Condense the larger forms of the root sign to the width of the smallest.

    Chromium reserves the width of the widest form, whichever it then draws, and leaves a hole
    behind a small root.
    """
    variants = font["MATH"].table.MathVariants
    sign = font.getBestCmap()[ROOT]
    construction = variants.VertGlyphConstruction[variants.VertGlyphCoverage.glyphs.index(sign)]
    forms = {record.VariantGlyph for record in construction.MathGlyphVariantRecord}
    forms |= {part.glyph for part in construction.GlyphAssembly.PartRecords}
    width = font["hmtx"][sign][0]
    for form in sorted(forms - {sign}):
        redraw(font, form, scale=width / font["hmtx"][form][0], shift=0, width=width)


def level_scripts(font: TTFont) -> None:
    """Put the indices of all letters on one line, and their exponents on another.

    Measures that TeX keeps for brackets and other tall things, Chromium applies to single letters
    too: the index of q would hang lower than that of k. Make them too small to matter there.
    """
    letters = [font.getBestCmap()[code] for code in LETTERS if code in font.getBestCmap()]
    bounds = [glyph_bounds(font, letter) for letter in letters]
    constants = font["MATH"].table.MathConstants
    depth = -min(lowest for _, lowest, _, _ in bounds)
    height = max(highest for _, _, _, highest in bounds)
    constants.SubscriptBaselineDropMin.Value = int(constants.SubscriptShiftDown.Value - depth)
    constants.SuperscriptBaselineDropMax.Value = int(
        height - constants.SuperscriptShiftUpCramped.Value
    )


def glyph_bounds(font: TTFont, glyph: str) -> tuple[float, float, float, float]:
    glyphs = font.getGlyphSet()
    pen = BoundsPen(glyphs)
    glyphs[glyph].draw(pen)
    return pen.bounds


def widen_arrows(font: TTFont) -> None:
    """Let an arrow above take up its own width.

    As a combining mark it takes none and is drawn to the left of its place, where browsers, which
    centre the mark by its width, leave it.
    """
    accents = font["MATH"].table.MathGlyphInfo.MathTopAccentAttachment
    for code in ARROWS_ABOVE:
        glyph = font.getBestCmap()[code]
        shift = -font["hmtx"][glyph][1]
        redraw(font, glyph, scale=1, shift=shift, width=shift)
        if glyph in accents.TopAccentCoverage.glyphs:
            index = accents.TopAccentCoverage.glyphs.index(glyph)
            accents.TopAccentAttachment[index].Value += shift


def redraw(font: TTFont, glyph: str, *, scale: float, shift: int, width: int) -> None:
    """Scale and shift a glyph sideways and give it another width."""
    top = font["CFF "].cff.topDictIndex[0]
    old = top.CharStrings[glyph]
    pen = T2CharStringPen(width - old.private.nominalWidthX, font.getGlyphSet())
    font.getGlyphSet()[glyph].draw(TransformPen(pen, (scale, 0, 0, 1, shift, 0)))
    top.CharStrings[glyph] = pen.getCharString(old.private, old.globalSubrs)
    bearing = font["hmtx"][glyph][1]
    font["hmtx"][glyph] = (width, round(bearing * scale) + shift)


def main() -> None:
    parser = argparse.ArgumentParser(description="Subset a mathematical font to WOFF2.")
    parser.add_argument("font", type=Path, help="the whole font, OpenType with a MATH table")
    parser.add_argument("out", type=Path, help="the .woff2 file to write")
    arguments = parser.parse_args()

    options = Options()
    options.flavor = "woff2"
    options.recalc_timestamp = False
    font = load_font(str(arguments.font), options)
    if "MATH" not in font:
        parser.error(f"{arguments.font} has no MATH table")
    lower_primes(font)
    subset(font)
    settle_line_height(font)
    narrow_roots(font)
    level_scripts(font)
    widen_arrows(font)
    save_font(font, str(arguments.out), options)
    glyphs, size = len(font.getGlyphOrder()), arguments.out.stat().st_size
    print(f"{arguments.out}: {glyphs} glyphs, {size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
