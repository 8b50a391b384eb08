"""The colours of weights: one blue, from light to dark.

Lightness alone tells the weight, so a map reads the same to those who see
few colours or none. These ends are for light pages; the site's style sheet
has them too, with those for dark pages.
"""

LOW = (255, 255, 255)
HIGH = (11, 60, 125)
# From this weight on numbers are white instead of black. Around it both
# have a contrast of just over 4.5 with the cell, and no other colour has.
TURN = 0.696

# Without that style sheet, as in notebooks, a cell is this blue laid thinly
# over whatever the page has. Up to 9 of its 15 parts the page's own text,
# dark or light, keeps a contrast of 4.5.
TINT = "#27e"
TINT_PARTS = 9


def colour(weight: float) -> tuple[float, float, float]:
    """Give the colour of a weight on a light page, each part up to 1."""
    red, green, blue = (
        (low + (high - low) * weight) / 255 for low, high in zip(LOW, HIGH, strict=True)
    )
    return red, green, blue


def tint(weight: float) -> str:
    """Give the translucent colour of a weight in CSS, or nothing."""
    parts = round(weight * TINT_PARTS)
    return f"{TINT}{parts:x}" if parts else ""
