"""Tests of OneHeadAttention."""

import copy
import re
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from attention import OneHeadAttention

SHAPES = {
    "B": st.integers(1, 3),
    "T": st.integers(1, 7),
    "d_in": st.integers(1, 6),
    "d_head": st.integers(1, 6),
    "qkv_bias": st.booleans(),
    "seed": st.integers(0, 2**32 - 1),
}


def hand_picked_head() -> OneHeadAttention:
    """The head of the chapter: each matrix selects two of four numbers."""
    head = OneHeadAttention(4, 2)
    with torch.no_grad():
        head.W_q.weight.copy_(torch.eye(4)[[0, 1]])
        head.W_k.weight.copy_(torch.eye(4)[[2, 3]])
        head.W_v.weight.copy_(torch.eye(4)[[0, 2]])
    return head


THE_CAT_SAT = torch.tensor([[1.0, 0, 0, 1], [0, 1, 1, 0], [0, 1, 0, 1]])


def test_hand_picked_matrices_give_the_numbers_worked_by_hand() -> None:
    """Claim O1."""
    out = hand_picked_head()(THE_CAT_SAT.unsqueeze(0))
    worked = torch.tensor([[[1.0, 0], [0.670, 0.330], [0.401, 0.198]]])
    torch.testing.assert_close(out, worked, rtol=0, atol=0.000501)


def test_hand_picked_matrices_give_the_very_bits_of_the_formula() -> None:
    """Claim O2: the module and the section before it agree."""
    q, k, v = (THE_CAT_SAT[:, columns] for columns in ([0, 1], [2, 3], [0, 2]))
    hidden = torch.ones(3, 3, dtype=torch.bool).triu(diagonal=1)
    scores = (q @ k.T / 2**0.5).masked_fill(hidden, float("-inf"))
    expected = torch.softmax(scores, dim=-1) @ v
    assert torch.equal(hand_picked_head()(THE_CAT_SAT[None])[0], expected)


def test_output_prints_with_the_gradient_function_of_the_page() -> None:
    """Claim O1p."""
    torch.set_printoptions(precision=3, sci_mode=False)
    try:
        printed = repr(hand_picked_head()(THE_CAT_SAT.unsqueeze(0)))
    finally:
        torch.set_printoptions(profile="default")
    assert printed == (
        "tensor([[[1.000, 0.000],\n"
        "         [0.670, 0.330],\n"
        "         [0.401, 0.198]]], grad_fn=<UnsafeViewBackward0>)"
    )


@settings(deadline=None)
@given(**SHAPES)
def test_output_agrees_with_loops(
    reference: ModuleType,
    B: int,
    T: int,
    d_in: int,
    d_head: int,
    qkv_bias: bool,
    seed: int,
) -> None:
    torch.manual_seed(seed)
    head = OneHeadAttention(d_in, d_head, qkv_bias).double()
    x = torch.randn(B, T, d_in, dtype=torch.float64)
    expected = []
    for sequence in x.tolist():
        q, k, v = (
            reference.linear(
                sequence,
                layer.weight.tolist(),
                layer.bias.tolist() if qkv_bias else None,
            )
            for layer in (head.W_q, head.W_k, head.W_v)
        )
        expected.append(reference.attend(q, k, v)[0])
    torch.testing.assert_close(head(x), torch.tensor(expected, dtype=torch.float64))


def test_output_and_gradients_agree_with_scaled_dot_product_attention() -> None:
    head = OneHeadAttention(16, 8).double()
    x = torch.randn(2, 11, 16, dtype=torch.float64, requires_grad=True)
    expected = scaled_dot_product_attention(head.W_q(x), head.W_k(x), head.W_v(x), is_causal=True)
    out = head(x)
    torch.testing.assert_close(out, expected)

    leaves = [x, *head.parameters()]
    gradients = torch.autograd.grad(out.square().sum(), leaves)
    expected_gradients = torch.autograd.grad(expected.square().sum(), leaves)
    torch.testing.assert_close(gradients, expected_gradients)


@settings(deadline=None)
@given(**SHAPES, data=st.data(), scale=st.sampled_from([1.0, 30.0, 1e4]))
def test_future_token_leaves_past_unchanged(
    B: int,
    T: int,
    d_in: int,
    d_head: int,
    qkv_bias: bool,
    seed: int,
    data: st.DataObject,
    scale: float,
) -> None:
    """Not to rounding: bit for bit, whatever the later tokens become."""
    torch.manual_seed(seed)
    head = OneHeadAttention(d_in, d_head, qkv_bias)
    x = torch.randn(B, T, d_in)
    changed = x.clone()
    first = data.draw(st.integers(0, T - 1), label="first changed token")
    changed[:, first:] = scale * torch.randn(B, T - first, d_in)
    assert torch.equal(head(x)[:, :first], head(changed)[:, :first])


def test_no_gradient_flows_back_from_a_token_to_later_ones() -> None:
    head = OneHeadAttention(4, 3)
    x = torch.randn(1, 6, 4, requires_grad=True)
    head(x)[0, 2].sum().backward()
    assert x.grad is not None
    assert (x.grad[0, :3] != 0).any(dim=-1).all()
    assert (x.grad[0, 3:] == 0).all()


def test_first_token_sees_only_itself() -> None:
    head = OneHeadAttention(4, 3)
    x = torch.randn(2, 5, 4)
    torch.testing.assert_close(head(x)[:, 0], head.W_v(x)[:, 0])


def test_equal_tokens_share_the_weight_equally() -> None:
    """The output is then the mean of equal values: the value itself."""
    head = OneHeadAttention(4, 3)
    x = torch.randn(1, 1, 4).expand(1, 6, 4)
    torch.testing.assert_close(head(x), head.W_v(x))


def test_sequences_of_a_batch_do_not_meet() -> None:
    head = OneHeadAttention(4, 3)
    x = torch.randn(3, 5, 4)
    changed = x.clone()
    changed[1] = torch.randn(5, 4)
    assert torch.equal(head(x)[[0, 2]], head(changed)[[0, 2]])
    torch.testing.assert_close(head(x[1:2])[0], head(x)[1])


@pytest.mark.parametrize("qkv_bias", [False, True])
def test_gradients_match_finite_differences(qkv_bias: bool) -> None:
    head = OneHeadAttention(3, 2, qkv_bias).double()
    x = torch.randn(2, 4, 3, dtype=torch.float64, requires_grad=True)
    names = [name for name, _ in head.named_parameters()]

    def run(x: Tensor, *parameters: Tensor) -> Any:
        state = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(head, state, (x,))

    assert torch.autograd.gradcheck(run, (x, *head.parameters()))


@pytest.mark.parametrize("T", [1, 2, 3, 100])
def test_any_length_is_taken(T: int) -> None:
    assert OneHeadAttention(4, 2)(torch.randn(2, T, 4)).shape == (2, T, 2)


def test_input_is_left_as_it_was() -> None:
    x = torch.randn(2, 5, 4)
    before = x.clone()
    OneHeadAttention(4, 2)(x)
    assert torch.equal(x, before)


def test_parameters_are_three_matrices_without_bias_by_default() -> None:
    shapes = {name: tuple(p.shape) for name, p in OneHeadAttention(4, 2).named_parameters()}
    assert shapes == {
        "W_q.weight": (2, 4),
        "W_k.weight": (2, 4),
        "W_v.weight": (2, 4),
    }


def test_bias_is_added_when_asked_for() -> None:
    names = list(OneHeadAttention(4, 2, qkv_bias=True).state_dict())
    assert names == [
        f"{layer}.{kind}" for layer in ("W_q", "W_k", "W_v") for kind in ("weight", "bias")
    ]


def test_bias_moves_the_output() -> None:
    head = OneHeadAttention(4, 2, qkv_bias=True)
    x = torch.randn(1, 3, 4)
    before = head(x)
    nn.init.constant_(head.W_v.bias, 100.0)
    assert (head(x) - before > 90).all()


def test_copies_compute_alike_and_are_independent() -> None:
    head = OneHeadAttention(4, 2)
    x = torch.randn(1, 3, 4)
    twin = copy.deepcopy(head)
    assert torch.equal(head(x), twin(x))
    nn.init.zeros_(twin.W_v.weight)
    assert not torch.equal(head(x), twin(x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_number_types_come_out_as_they_went_in(dtype: torch.dtype) -> None:
    out = OneHeadAttention(4, 2).to(dtype)(torch.randn(1, 3, 4, dtype=dtype))
    assert out.dtype == dtype
    assert out.isfinite().all()


def test_mask_is_made_where_the_input_is() -> None:
    head = OneHeadAttention(4, 2).to("meta")
    assert head(torch.randn(1, 3, 4, device="meta")).device.type == "meta"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"d_in": 0, "d_head": 2}, "d_in=0 is not a positive int; give 1 or more"),
        ({"d_in": 4, "d_head": -2}, "d_head=-2 is not a positive int; give 1 or more"),
        ({"d_in": 4.0, "d_head": 2}, "d_in=4.0 is not a positive int; give 1 or more"),
    ],
)
def test_impossible_sizes_are_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        OneHeadAttention(**arguments)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (
            (3, 4),
            "x of shape (3, 4) is not (B, T, C) with C=4; x.unsqueeze(0) makes a batch of one",
        ),
        ((4,), "x of shape (4,) is not (B, T, C) with C=4; reshape it"),
        ((1, 2, 3, 4), "x of shape (1, 2, 3, 4) is not (B, T, C) with C=4; reshape it"),
        (
            (1, 3, 5),
            "x of shape (1, 3, 5) has 5 numbers per token, not 4; "
            "pass (B, T, 4) or build the layer for 5",
        ),
        ((1, 0, 4), "x of shape (1, 0, 4) holds no token; pass at least one"),
    ],
)
def test_input_of_another_shape_is_refused(shape: tuple[int, ...], text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        OneHeadAttention(4, 2)(torch.zeros(shape))
