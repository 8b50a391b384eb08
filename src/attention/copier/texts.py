"""The words the copier knows, and the texts it is trained and tested on."""

from collections.abc import Sequence

import torch
from torch import Generator, Tensor

BY_KIND = """
    the a my her his our one and
    old small big red blue green white warm cold new quiet young
    cat dog bird fox horse man girl boy king door house tree river hill
    road boat table window chair bed book song
    sat slept ran stood lay sang hid ate saw found took left
    by on in under near behind over with from to
"""
WORDS = tuple(BY_KIND.split())
"""The 64 words of the vocabulary; the place of a word is its number."""


def encode(text: str | Sequence[str]) -> Tensor:
    """Turn words into their numbers, as a batch of one text.

    Args:
        text: Words with blanks between them, or a sequence of words.

    Returns:
        The numbers of the words, integers ``(1, T)``.

    Raises:
        ValueError: If there is no word, or one that is not in `WORDS`.

    Examples:
        >>> encode("the old cat")
        tensor([[ 0,  8, 20]])
    """
    words = text.split() if isinstance(text, str) else list(text)
    if not words:
        raise ValueError("the text has no word; give at least one")
    unknown = sorted(set(words) - set(WORDS))
    if unknown:
        raise ValueError(
            f"the copier does not know {', '.join(map(repr, unknown))}; "
            "use words from attention.WORDS"
        )
    return torch.tensor([[WORDS.index(word) for word in words]])


def decode(ids: Tensor) -> list[str]:
    """Turn the numbers of one text, (T,), back into its words.

    Args:
        ids: Integers ``(T,)`` from 0 to 63.

    Returns:
        The ``T`` words.

    Examples:
        >>> decode(encode("the old cat")[0])
        ['the', 'old', 'cat']
    """
    return [WORDS[number] for number in ids.tolist()]


def draw_repeated(n_texts: int, period: int, seed: int) -> Tensor:
    """Draw random stretches of different words, each written twice.

    The draw has a random state of its own and moves no other.

    Args:
        n_texts: How many texts, ``B``.
        period: The length of a stretch in words, from 1 to 64.
        seed: The same seed gives the same texts.

    Returns:
        The numbers of the words, integers ``(B, 2 * period)``.

    Raises:
        ValueError: If ``period`` lies outside 1 to 64.
    """
    if not 1 <= period <= len(WORDS):
        raise ValueError(
            f"period={period} lies outside 1 to {len(WORDS)}; "
            "a stretch repeats no word"
        )
    generator = torch.Generator().manual_seed(seed)
    keys = torch.rand(n_texts, len(WORDS), generator=generator)
    stretch = keys.argsort(dim=-1)[:, :period]
    return stretch.repeat(1, 2)


def draw_training_texts(
    n_texts: int, length: int, periods: range, generator: Generator
) -> tuple[Tensor, Tensor]:
    """Draw texts that go over to repeating themselves.

    Each begins with random words, from none up to as many as leave room
    for two copies. Then comes a stretch of random words, with a period of
    its own, over and over to the end. The words at the beginning make the
    repetition start anywhere, so that no fixed place in the text can give
    the answer. Words may occur more than once, as they do in sentences.

    Args:
        n_texts: How many texts, ``B``.
        length: Words in each text, ``T``.
        periods: The periods to draw from, evenly.
        generator: The random state to draw from.

    Returns:
        The numbers of the words, ``(B, T + 1)``, one more than ``length``
        because the last is only an answer; and booleans ``(B, T)``: True
        where the word after this one can be known, which is from the
        first word of the second copy on.

    Raises:
        ValueError: If the longest stretch does not fit in twice.
    """
    if not 1 <= periods.start < periods.stop <= length // 2 + 1:
        raise ValueError(
            f"periods from {periods.start} to {periods.stop - 1} do not "
            f"fit twice into {length} words; choose from 1 to {length // 2}"
        )
    every = (n_texts, length + 1)
    words = torch.randint(len(WORDS), every, generator=generator)
    size = (n_texts, 1)
    period = torch.randint(
        periods.start, periods.stop, size, generator=generator
    )
    room = length - 2 * period + 1
    start = (torch.rand(size, generator=generator) * room).long()

    places = torch.arange(length + 1)
    repeated = places >= start + period  # (B, T + 1)
    source = start + (places - start) % period
    ids = words.gather(1, torch.where(repeated, source, places))
    return ids, repeated[:, :-1]
