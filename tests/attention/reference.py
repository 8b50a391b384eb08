"""Attention written with loops over Python floats, slow and plain.

Nothing here knows tensors, masks or infinities: a token that must not be
seen is simply not looped over. Matrices are lists of rows; a linear map is
a weight ``(out, in)`` and a bias of ``out`` numbers.
"""

import math

Vector = list[float]
Matrix = list[list[float]]


def dot(a: Vector, b: Vector) -> float:
    """Multiply two vectors number by number and add up."""
    return math.fsum(p * q for p, q in zip(a, b, strict=True))


def softmax(scores: Vector) -> Vector:
    """Turn scores into weights that add up to 1."""
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def linear(x: Matrix, weight: Matrix, bias: Vector | None = None) -> Matrix:
    """Send every row of x through one linear map."""
    bias = bias or [0.0] * len(weight)
    return [[dot(row, w) + b for w, b in zip(weight, bias, strict=True)] for row in x]


def attend(q: Matrix, k: Matrix, v: Matrix, causal: bool = True) -> tuple[Matrix, Matrix]:
    """Give context vectors ``(T, D)`` and weights ``(T, T)`` of one head."""
    T, D = len(q), len(q[0])
    context, weights = [], []
    for i in range(T):
        seen = range(i + 1) if causal else range(T)
        row = softmax([dot(q[i], k[j]) / math.sqrt(D) for j in seen])
        context.append([math.fsum(row[j] * v[j][d] for j in seen) for d in range(len(v[0]))])
        weights.append(row + [0.0] * (T - len(row)))
    return context, weights


def attend_with_heads(
    x: Matrix,
    qkv: tuple[Matrix, Vector | None],
    proj: tuple[Matrix, Vector | None],
    n_heads: int,
    causal: bool = True,
) -> tuple[Matrix, list[Matrix]]:
    """Give the output ``(T, C)`` and weights ``(H, T, T)`` of all heads."""
    C = len(x[0])
    D = C // n_heads
    q_k_v = linear(x, *qkv)
    joined: Matrix = [[] for _ in x]
    weights = []
    for head in range(n_heads):
        start = head * D
        q, k, v = (
            [row[part * C + start : part * C + start + D] for row in q_k_v] for part in range(3)
        )
        context, head_weights = attend(q, k, v, causal)
        joined = [left + right for left, right in zip(joined, context, strict=True)]
        weights.append(head_weights)
    return linear(joined, *proj), weights
