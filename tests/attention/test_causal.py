"""Tests of CausalSelfAttention."""

import copy
import io
import re
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.nn.functional import dropout, scaled_dot_product_attention

from attention import CausalSelfAttention, OneHeadAttention, causal_mask

SHAPES = {
    "B": st.integers(1, 3),
    "T": st.integers(1, 7),
    "n_heads": st.integers(1, 3),
    "head_dim": st.integers(1, 4),
    "qkv_bias": st.booleans(),
    "seed": st.integers(0, 2**32 - 1),
}


def heads_of(attn: CausalSelfAttention, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Queries, keys and values per head, by another road than the module's."""
    parts = attn.qkv(x).unflatten(-1, (3, attn.n_heads, attn.head_dim))
    q, k, v = parts.permute(2, 0, 3, 1, 4)
    return q, k, v


def join(context: Tensor) -> Tensor:
    """Set the heads' vectors, (B, H, T, D), side by side again."""
    return context.transpose(1, 2).flatten(2)


def close_to_print(value: Tensor, printed: list[Any]) -> bool:
    """Whether three printed digits stand for the value: half a unit apart."""
    return bool(((value - torch.tensor(printed)).abs() <= 0.000501).all())


# The numbers of the chapter.


@pytest.fixture
def leak() -> tuple[CausalSelfAttention, Tensor, Tensor]:
    """The leak experiment: a layer, an input, one with another last token."""
    torch.manual_seed(123)
    attn = CausalSelfAttention(4, 1, 8).eval()
    x = torch.randn(1, 3, 4)
    changed = x.clone()
    changed[0, 2] = torch.randn(4)
    return attn, x, changed


@pytest.fixture
def two_heads() -> tuple[CausalSelfAttention, Tensor]:
    """The layer and the input whose heads the chapter prints."""
    torch.manual_seed(123)
    attn = CausalSelfAttention(4, 2, 8).eval()
    return attn, torch.randn(1, 3, 4)


def test_with_mask_only_the_changed_token_moves(
    leak: tuple[CausalSelfAttention, Tensor, Tensor],
) -> None:
    """Claims L1 and L3."""
    attn, x, changed = leak
    moved = (attn(x) - attn(changed)).abs().sum(-1)
    assert close_to_print(moved, [[0.000, 0.000, 0.299]])
    assert (moved[0, :2] == 0).all()


def test_with_mask_zeroed_every_token_moves(
    leak: tuple[CausalSelfAttention, Tensor, Tensor],
) -> None:
    """Claims L2 and L4."""
    attn, x, changed = leak
    attn.mask.zero_()
    moved = (attn(x) - attn(changed)).abs().sum(-1)
    assert close_to_print(moved, [[0.334, 0.171, 0.299]])
    assert (moved > 0).all()


def test_reversed_input_gives_reversed_output_only_without_mask(
    leak: tuple[CausalSelfAttention, Tensor, Tensor],
) -> None:
    """Claims L6 and L7."""
    attn, x, _ = leak
    assert not torch.allclose(attn(x.flip(1)), attn(x).flip(1))
    attn.mask.zero_()
    assert torch.allclose(attn(x.flip(1)), attn(x).flip(1))


def test_queries_are_the_first_third_of_qkv(
    two_heads: tuple[CausalSelfAttention, Tensor],
) -> None:
    """Claims P2, P4 and P5: all heads, head 0, head 1."""
    attn, x = two_heads
    q = attn.qkv(x).split(4, -1)[0]
    printed = [
        [-0.129, -0.323, -0.782, 0.115],
        [0.545, 0.409, 0.659, -0.959],
        [0.156, -0.503, -0.200, -0.204],
    ]
    assert close_to_print(q, [printed])
    q_heads = q.view(1, 3, 2, 2).transpose(1, 2)
    assert close_to_print(q_heads[0, 0], [row[:2] for row in printed])
    assert close_to_print(q_heads[0, 1], [row[2:] for row in printed])


def test_two_heads_give_the_printed_weights(
    two_heads: tuple[CausalSelfAttention, Tensor],
) -> None:
    """Claims P6 and P7."""
    attn, x = two_heads
    weights = attn(x, return_weights=True)[1]
    assert close_to_print(weights[0, 0], [[1, 0, 0], [0.263, 0.737, 0], [0.381, 0.297, 0.322]])
    assert close_to_print(weights[0, 1], [[1, 0, 0], [0.153, 0.847, 0], [0.344, 0.340, 0.316]])


def test_layer_of_gpt2_size_has_the_sizes_of_the_chapter() -> None:
    """Claims F1 to F7 and F12b."""
    torch.manual_seed(123)
    attn = CausalSelfAttention(768, 12, 1024, dropout=0.1).eval()
    assert sum(p.numel() for p in attn.parameters()) == 2_362_368
    assert sum(p.numel() for p in attn.qkv.parameters()) == 1_769_472 + 2_304
    assert sum(p.numel() for p in attn.proj.parameters()) == 589_824 + 768

    x = torch.randn(8, 256, 768)
    with torch.no_grad():
        out, weights = attn(x, return_weights=True)
        q, k, v = heads_of(attn, x)
        expected = scaled_dot_product_attention(q, k, v, is_causal=True)
        assert (expected - weights @ v).abs().max() < 1e-6
        assert (attn.proj(join(expected)) - out).abs().max() < 1e-6
    assert out.shape == (8, 256, 768)
    assert weights.shape == (8, 12, 256, 256)
    assert weights.numel() == 6_291_456
    assert close_to_print(weights[0, 0, 5, :6], [0.205, 0.148, 0.169, 0.151, 0.180, 0.147])


# Against other implementations.


@settings(deadline=None)
@given(**SHAPES, causal=st.booleans())
def test_output_and_weights_agree_with_loops(
    reference: ModuleType,
    B: int,
    T: int,
    n_heads: int,
    head_dim: int,
    qkv_bias: bool,
    seed: int,
    causal: bool,
) -> None:
    torch.manual_seed(seed)
    emb_dim = n_heads * head_dim
    attn = CausalSelfAttention(emb_dim, n_heads, 8, qkv_bias=qkv_bias).double()
    if not causal:
        attn.mask.zero_()
    x = torch.randn(B, T, emb_dim, dtype=torch.float64)
    out, weights = attn(x, return_weights=True)

    qkv_bias_values = attn.qkv.bias.tolist() if qkv_bias else None
    for i, sequence in enumerate(x.tolist()):
        expected_out, expected_weights = reference.attend_with_heads(
            sequence,
            (attn.qkv.weight.tolist(), qkv_bias_values),
            (attn.proj.weight.tolist(), attn.proj.bias.tolist()),
            n_heads,
            causal,
        )
        torch.testing.assert_close(out[i], x.new_tensor(expected_out))
        torch.testing.assert_close(weights[i], x.new_tensor(expected_weights))


def test_output_and_gradients_agree_with_scaled_dot_product_attention() -> None:
    attn = CausalSelfAttention(24, 3, 16).double()
    x = torch.randn(2, 13, 24, dtype=torch.float64, requires_grad=True)
    q, k, v = heads_of(attn, x)
    context = scaled_dot_product_attention(q, k, v, is_causal=True)
    expected = attn.proj(join(context))
    out = attn(x)
    torch.testing.assert_close(out, expected)

    leaves = [x, *attn.parameters()]
    gradients = torch.autograd.grad(out.square().sum(), leaves)
    expected_gradients = torch.autograd.grad(expected.square().sum(), leaves)
    torch.testing.assert_close(gradients, expected_gradients)


@pytest.mark.parametrize("qkv_bias", [True, False])
def test_output_and_weights_agree_with_multihead_attention(qkv_bias: bool) -> None:
    attn = CausalSelfAttention(24, 3, 16, qkv_bias=qkv_bias)
    theirs = nn.MultiheadAttention(24, 3, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(attn.qkv.weight)
        theirs.in_proj_bias.copy_(attn.qkv.bias if qkv_bias else torch.zeros(72))
        theirs.out_proj.load_state_dict(attn.proj.state_dict())
    x = torch.randn(2, 13, 24)
    out, weights = attn(x, return_weights=True)
    expected_out, expected_weights = theirs(
        x, x, x, attn_mask=causal_mask(13), average_attn_weights=False
    )
    torch.testing.assert_close(out, expected_out)
    torch.testing.assert_close(weights, expected_weights)


def test_single_head_agrees_with_one_head_attention() -> None:
    attn = CausalSelfAttention(6, 1, 8)
    head = OneHeadAttention(6, 6, qkv_bias=True)
    with torch.no_grad():
        for i, layer in enumerate((head.W_q, head.W_k, head.W_v)):
            layer.weight.copy_(attn.qkv.weight[6 * i : 6 * i + 6])
            layer.bias.copy_(attn.qkv.bias[6 * i : 6 * i + 6])
    x = torch.randn(2, 8, 6)
    torch.testing.assert_close(attn(x), attn.proj(head(x)))


# Properties.


@settings(deadline=None)
@given(**SHAPES, scale=st.sampled_from([0.0, 1.0, 100.0]))
def test_rows_of_weights_sum_to_one_and_hide_the_future(
    B: int,
    T: int,
    n_heads: int,
    head_dim: int,
    qkv_bias: bool,
    seed: int,
    scale: float,
) -> None:
    torch.manual_seed(seed)
    attn = CausalSelfAttention(n_heads * head_dim, n_heads, 8, qkv_bias=qkv_bias)
    x = scale * torch.randn(B, T, n_heads * head_dim)
    weights = attn(x, return_weights=True)[1]
    assert weights.shape == (B, n_heads, T, T)
    torch.testing.assert_close(weights.sum(-1), torch.ones(B, n_heads, T))
    assert (weights >= 0).all()
    assert (weights[:, :, causal_mask(T)] == 0).all()


@settings(deadline=None)
@given(**SHAPES, data=st.data(), scale=st.sampled_from([1.0, 30.0, 1e4]))
def test_future_token_leaves_past_unchanged(
    B: int,
    T: int,
    n_heads: int,
    head_dim: int,
    qkv_bias: bool,
    seed: int,
    data: st.DataObject,
    scale: float,
) -> None:
    """Not to rounding: bit for bit, whatever the later tokens become."""
    torch.manual_seed(seed)
    emb_dim = n_heads * head_dim
    attn = CausalSelfAttention(emb_dim, n_heads, 8, qkv_bias=qkv_bias)
    x = torch.randn(B, T, emb_dim)
    changed = x.clone()
    first = data.draw(st.integers(0, T - 1), label="first changed token")
    changed[:, first:] = scale * torch.randn(B, T - first, emb_dim)
    out, weights = attn(x, return_weights=True)
    changed_out, changed_weights = attn(changed, return_weights=True)
    assert torch.equal(out[:, :first], changed_out[:, :first])
    assert torch.equal(weights[:, :, :first], changed_weights[:, :, :first])


@pytest.mark.parametrize("first", [1, 17, 64, 127])
def test_future_token_leaves_past_unchanged_at_size(first: int) -> None:
    """Large enough for the blocked kernels that small inputs never reach."""
    attn = CausalSelfAttention(96, 3, 128)
    x = torch.randn(2, 128, 96)
    changed = x.clone()
    changed[:, first:] = torch.randn(2, 128 - first, 96)
    assert torch.equal(attn(x)[:, :first], attn(changed)[:, :first])


@settings(deadline=None)
@given(**SHAPES, data=st.data())
def test_without_mask_permuted_input_gives_permuted_output(
    B: int,
    T: int,
    n_heads: int,
    head_dim: int,
    qkv_bias: bool,
    seed: int,
    data: st.DataObject,
) -> None:
    torch.manual_seed(seed)
    emb_dim = n_heads * head_dim
    attn = CausalSelfAttention(emb_dim, n_heads, 8, qkv_bias=qkv_bias).double()
    attn.mask.zero_()
    x = torch.randn(B, T, emb_dim, dtype=torch.float64)
    order = data.draw(st.permutations(range(T)), label="order")
    torch.testing.assert_close(attn(x[:, order]), attn(x)[:, order])


def test_prefix_alone_gives_the_prefix_of_the_output() -> None:
    attn = CausalSelfAttention(8, 2, 16).double()
    x = torch.randn(2, 16, 8, dtype=torch.float64)
    out, weights = attn(x, return_weights=True)
    for T in range(1, 17):
        prefix_out, prefix_weights = attn(x[:, :T], return_weights=True)
        torch.testing.assert_close(prefix_out, out[:, :T])
        torch.testing.assert_close(prefix_weights, weights[:, :, :T, :T])


def test_context_length_changes_neither_draw_nor_output() -> None:
    x = torch.randn(1, 5, 8)
    outputs = []
    for context_length in (5, 64):
        torch.manual_seed(1)
        outputs.append(CausalSelfAttention(8, 2, context_length)(x))
    assert torch.equal(*outputs)


def test_sequences_of_a_batch_do_not_meet() -> None:
    attn = CausalSelfAttention(8, 2, 8)
    x = torch.randn(3, 5, 8)
    changed = x.clone()
    changed[1] = torch.randn(5, 8)
    assert torch.equal(attn(x)[[0, 2]], attn(changed)[[0, 2]])
    torch.testing.assert_close(attn(x[1:2])[0], attn(x)[1])


def test_heads_do_not_meet_before_the_projection() -> None:
    """Changing the queries and keys of head 1 leaves the weights of head 0."""
    attn = CausalSelfAttention(8, 2, 8)
    x = torch.randn(1, 5, 8)
    before = attn(x, return_weights=True)[1]
    with torch.no_grad():
        attn.qkv.weight[4:8].normal_()
        attn.qkv.weight[12:16].normal_()
    after = attn(x, return_weights=True)[1]
    assert torch.equal(before[:, 0], after[:, 0])
    assert not torch.allclose(before[:, 1], after[:, 1])


def test_no_gradient_flows_back_from_a_token_to_later_ones() -> None:
    attn = CausalSelfAttention(8, 2, 8)
    x = torch.randn(1, 6, 8, requires_grad=True)
    attn(x)[0, 2].sum().backward()
    assert x.grad is not None
    assert (x.grad[0, :3] != 0).any(dim=-1).all()
    assert (x.grad[0, 3:] == 0).all()


@pytest.mark.parametrize("qkv_bias", [False, True])
def test_gradients_match_finite_differences(qkv_bias: bool) -> None:
    """For the input and every parameter, through output and weights."""
    attn = CausalSelfAttention(4, 2, 4, qkv_bias=qkv_bias).double()
    x = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    names = [name for name, _ in attn.named_parameters()]

    def run(x: Tensor, *parameters: Tensor) -> Any:
        state = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(attn, state, (x, True))

    assert torch.autograd.gradcheck(run, (x, *attn.parameters()))


def test_input_is_left_as_it_was() -> None:
    x = torch.randn(2, 5, 8)
    before = x.clone()
    CausalSelfAttention(8, 2, 8)(x)
    assert torch.equal(x, before)


def test_weights_come_only_when_asked_for() -> None:
    attn = CausalSelfAttention(8, 2, 8)
    x = torch.randn(1, 5, 8)
    out, _ = attn(x, return_weights=True)
    assert torch.equal(attn(x), out)


def test_mask_changed_by_hand_is_honoured() -> None:
    attn = CausalSelfAttention(8, 2, 8)
    attn.mask[2, 0] = True
    weights = attn(torch.randn(1, 4, 8), return_weights=True)[1]
    hidden = causal_mask(4)
    hidden[2, 0] = True
    assert torch.equal(weights[0] == 0, hidden.expand(2, 4, 4))


# Dropout.


def test_dropout_acts_only_in_training() -> None:
    attn = CausalSelfAttention(8, 2, 8, dropout=0.5)
    without = CausalSelfAttention(8, 2, 8)
    without.load_state_dict(attn.state_dict())
    x = torch.randn(1, 8, 8)
    assert not torch.equal(attn(x), attn(x))
    attn.eval()
    assert torch.equal(attn(x), attn(x))
    assert torch.equal(attn(x), without(x))


def test_dropout_zero_changes_nothing_in_training() -> None:
    attn = CausalSelfAttention(8, 2, 8)
    x = torch.randn(1, 8, 8)
    assert torch.equal(attn.train()(x), attn.eval()(x))


def test_dropout_falls_on_the_weights() -> None:
    attn = CausalSelfAttention(8, 2, 8, dropout=0.3)
    x = torch.randn(2, 8, 8)
    torch.manual_seed(5)
    out, weights = attn(x, return_weights=True)
    torch.manual_seed(5)
    expected = attn.proj(join(dropout(weights, 0.3) @ heads_of(attn, x)[2]))
    torch.testing.assert_close(out, expected)


def test_returned_weights_are_those_before_dropout() -> None:
    attn = CausalSelfAttention(8, 2, 8, dropout=0.5)
    x = torch.randn(1, 8, 8)
    in_training = attn.train()(x, return_weights=True)[1]
    assert torch.equal(in_training, attn.eval()(x, return_weights=True)[1])
    torch.testing.assert_close(in_training.sum(-1), torch.ones(1, 2, 8))


# Parameters, buffers and where they live.


def test_mask_is_a_buffer_and_is_not_saved() -> None:
    """Claim F6."""
    attn = CausalSelfAttention(8, 2, 16)
    assert list(attn.state_dict()) == [
        "qkv.weight",
        "qkv.bias",
        "proj.weight",
        "proj.bias",
    ]
    assert [name for name, _ in attn.named_buffers()] == ["mask"]
    assert torch.equal(attn.mask, causal_mask(16))


def test_without_qkv_bias_the_projection_keeps_its_own() -> None:
    attn = CausalSelfAttention(8, 2, 16, qkv_bias=False)
    assert list(attn.state_dict()) == ["qkv.weight", "proj.weight", "proj.bias"]


def test_saved_state_fits_a_layer_of_another_context_length() -> None:
    short, long = CausalSelfAttention(8, 2, 8), CausalSelfAttention(8, 2, 64)
    file = io.BytesIO()
    torch.save(short.state_dict(), file)
    file.seek(0)
    long.load_state_dict(torch.load(file, weights_only=True))
    x = torch.randn(1, 8, 8)
    assert torch.equal(short(x), long(x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_mask_stays_boolean_in_another_number_type(dtype: torch.dtype) -> None:
    attn = CausalSelfAttention(8, 2, 8).to(dtype)
    assert attn.mask.dtype == torch.bool
    out, weights = attn(torch.randn(1, 5, 8, dtype=dtype), return_weights=True)
    assert out.dtype == weights.dtype == dtype
    assert out.isfinite().all()
    assert (weights[:, :, causal_mask(5)] == 0).all()


def test_mask_moves_with_the_module_to_another_device() -> None:
    attn = CausalSelfAttention(8, 2, 8).to("meta")
    assert attn.mask.device.type == "meta"
    assert attn.mask.dtype == torch.bool
    assert attn(torch.randn(1, 5, 8, device="meta")).shape == (1, 5, 8)


def test_deep_copies_compute_alike_and_share_nothing() -> None:
    attn = CausalSelfAttention(8, 2, 8)
    x = torch.randn(1, 5, 8)
    twin = copy.deepcopy(attn)
    assert torch.equal(attn(x), twin(x))
    twin.mask.zero_()
    assert torch.equal(attn.mask, causal_mask(8))
    assert not torch.equal(attn(x), twin(x))


# Refusals.


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            {"emb_dim": 770, "n_heads": 12},
            "emb_dim=770 does not divide into n_heads=12 equal heads; "
            "use a multiple of 12, such as 768",
        ),
        (
            {"emb_dim": 4, "n_heads": 8},
            "emb_dim=4 does not divide into n_heads=8 equal heads; use a multiple of 8, such as 8",
        ),
        ({"emb_dim": 0}, "emb_dim=0 is not a positive int; give 1 or more"),
        ({"n_heads": 0}, "n_heads=0 is not a positive int; give 1 or more"),
        ({"n_heads": 2.0}, "n_heads=2.0 is not a positive int; give 1 or more"),
        (
            {"context_length": -1},
            "context_length=-1 is not a positive int; give 1 or more",
        ),
        (
            {"dropout": 1.0},
            "dropout=1.0 lies outside [0, 1); give the share of weights to drop, such as 0.1",
        ),
        (
            {"dropout": -0.1},
            "dropout=-0.1 lies outside [0, 1); give the share of weights to drop, such as 0.1",
        ),
        (
            {"dropout": float("nan")},
            "dropout=nan lies outside [0, 1); give the share of weights to drop, such as 0.1",
        ),
    ],
)
def test_impossible_settings_are_refused(arguments: dict[str, Any], text: str) -> None:
    settings = {"emb_dim": 8, "n_heads": 2, "context_length": 8} | arguments
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        CausalSelfAttention(**settings)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        (
            (1, 9, 8),
            "x has 9 tokens, more than context_length=8; "
            "cut it to 8 or build a layer with a longer context",
        ),
        (
            (5, 8),
            "x of shape (5, 8) is not (B, T, C) with C=8; x.unsqueeze(0) makes a batch of one",
        ),
        ((1, 2, 5, 8), "x of shape (1, 2, 5, 8) is not (B, T, C) with C=8; reshape it"),
        (
            (1, 5, 7),
            "x of shape (1, 5, 7) has 7 numbers per token, not 8; "
            "pass (B, T, 8) or build the layer for 7",
        ),
        ((1, 0, 8), "x of shape (1, 0, 8) holds no token; pass at least one"),
    ],
)
def test_input_of_another_shape_is_refused(shape: tuple[int, ...], text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        CausalSelfAttention(8, 2, 8)(torch.zeros(shape))


def test_input_as_long_as_the_context_is_taken() -> None:
    assert CausalSelfAttention(8, 2, 8)(torch.zeros(1, 8, 8)).shape == (1, 8, 8)
