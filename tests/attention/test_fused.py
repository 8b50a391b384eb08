"""Tests of FusedCausalSelfAttention, against CausalSelfAttention."""

import copy
import inspect
import io
import pickle
import re
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attention import CausalSelfAttention, FusedCausalSelfAttention, causal_mask
from attention.fused import attend_in_blocks, is_causal

Pair = tuple[CausalSelfAttention, FusedCausalSelfAttention]


def make_pair(*sizes: int, **options: Any) -> Pair:
    """Both layers with the same parameters."""
    plain = CausalSelfAttention(*sizes, **options)
    fused = FusedCausalSelfAttention(*sizes, **options)
    fused.load_state_dict(plain.state_dict())
    return plain, fused


def gradients(layer: CausalSelfAttention, x: Tensor) -> list[Tensor]:
    """How the input and every parameter change a weighted sum of outputs."""
    x = x.clone().requires_grad_()
    out = layer(x)
    by_place = torch.linspace(-1, 1, out.numel(), dtype=out.dtype).view_as(out)
    return list(torch.autograd.grad((out * by_place).sum(), [x, *layer.parameters()]))


def assert_alike(plain: CausalSelfAttention, fused: CausalSelfAttention, x: Tensor) -> None:
    """Outputs and gradients are the same up to rounding."""
    torch.testing.assert_close(fused(x), plain(x))
    torch.testing.assert_close(gradients(fused, x), gradients(plain, x))


class PeakMemory(TorchDispatchMode):
    """Counts the bytes of all tensors made in its scope and still alive."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.peak = 0
        self.known: weakref.WeakSet[torch.UntypedStorage] = weakref.WeakSet()

    def __torch_dispatch__(
        self, func: Callable[..., Any], types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.known.update(storages((args, kwargs)))  # made before, so not counted
        result = func(*args, **(kwargs or {}))
        for storage in storages(result):
            if storage not in self.known:
                self.known.add(storage)
                self.add(storage.nbytes())
                weakref.finalize(storage, self.add, -storage.nbytes())
        return result

    def add(self, size: int) -> None:
        self.now += size
        self.peak = max(self.peak, self.now)


def storages(tree: Any) -> list[torch.UntypedStorage]:
    """The memory of every tensor in nested arguments or results."""
    return [leaf.untyped_storage() for leaf in tree_leaves(tree) if isinstance(leaf, Tensor)]


def peak_of_step(layer: CausalSelfAttention, x: Tensor) -> int:
    """Bytes alive at the fullest moment of a forward and backward pass."""
    with PeakMemory() as memory:
        layer(x).sum().backward()
    layer.zero_grad()
    return memory.peak


# The same results.


def test_sizes_of_the_chapter_agree_within_a_millionth() -> None:
    """In float32. Gradients are sums over many tokens and larger; there the
    fused layer's rounding is of the size of the plain one's.
    """
    plain, fused = make_pair(768, 12, 1024)
    x = torch.randn(2, 256, 768)
    with torch.no_grad():
        assert (fused(x) - plain(x)).abs().max() < 1e-6
    exact = gradients(copy.deepcopy(plain).double(), x.double())
    triples = zip(gradients(fused, x), gradients(plain, x), exact, strict=True)
    for ours, theirs, true in triples:
        assert (ours - true).norm() < 3 * (theirs - true).norm()
        assert (ours - theirs).norm() < 1e-5 * true.norm()


@settings(deadline=None)
@given(
    B=st.integers(0, 3),
    T=st.integers(1, 16),
    n_heads=st.integers(1, 3),
    head_dim=st.integers(1, 9),
    qkv_bias=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_outputs_and_gradients_agree(
    B: int, T: int, n_heads: int, head_dim: int, qkv_bias: bool, seed: int
) -> None:
    torch.manual_seed(seed)
    emb_dim = n_heads * head_dim
    plain, fused = make_pair(emb_dim, n_heads, 16, qkv_bias=qkv_bias)
    assert_alike(plain.double(), fused.double(), torch.randn(B, T, emb_dim).double())


@pytest.mark.parametrize("T", [63, 64, 65, 200, 256])
def test_lengths_around_the_kernels_blocks_agree(T: int) -> None:
    plain, fused = make_pair(16, 2, 256)
    assert_alike(plain.double(), fused.double(), torch.randn(2, T, 16).double())


@pytest.mark.parametrize("first", [1, 17, 64, 127])
def test_future_token_leaves_past_unchanged(first: int) -> None:
    """Bit for bit, as in the plain layer."""
    fused = FusedCausalSelfAttention(96, 3, 128)
    x = torch.randn(2, 128, 96)
    changed = x.clone()
    changed[:, first:] = torch.randn(2, 128 - first, 96)
    assert torch.equal(fused(x)[:, :first], fused(changed)[:, :first])
    assert not torch.equal(fused(x)[:, first:], fused(changed)[:, first:])


def test_gradients_match_finite_differences() -> None:
    fused = FusedCausalSelfAttention(4, 2, 4).double()
    x = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    names = [name for name, _ in fused.named_parameters()]

    def run(x: Tensor, *parameters: Tensor) -> Any:
        state = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(fused, state, (x,))

    assert torch.autograd.gradcheck(run, (x, *fused.parameters()))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_short_number_types_agree_to_their_precision(dtype: torch.dtype) -> None:
    plain, fused = make_pair(16, 2, 32)
    x = torch.randn(2, 20, 16)
    expected = plain(x)
    out = fused.to(dtype)(x.to(dtype))
    assert out.dtype == dtype
    assert fused.mask.dtype == torch.bool
    torch.testing.assert_close(out.float(), expected, rtol=0, atol=8 * torch.finfo(dtype).eps)


def test_frozen_parameters_and_missing_gradients_change_nothing() -> None:
    plain, fused = make_pair(16, 2, 16)
    x = torch.randn(1, 9, 16)
    with torch.inference_mode():
        torch.testing.assert_close(fused(x), plain(x))
    fused.requires_grad_(False)
    torch.testing.assert_close(fused(x), plain(x))


# The mask.


def zero(attn: CausalSelfAttention) -> None:
    attn.mask.zero_()


def edit_one(attn: CausalSelfAttention) -> None:
    attn.mask[7, 3] = True


def edit_first_row(attn: CausalSelfAttention) -> None:
    attn.mask[0, 1] = False


def edit_last_corner(attn: CausalSelfAttention) -> None:
    attn.mask[11, 0] = True


def edit_without_trace(attn: CausalSelfAttention) -> None:
    attn.mask.data[5, 9] = False


def edit_by_numpy(attn: CausalSelfAttention) -> None:
    attn.mask.numpy()[5, 9] = False


def edit_in_inference_mode(attn: CausalSelfAttention) -> None:
    with torch.inference_mode():
        attn.mask[5, 9] = False


def replace(attn: CausalSelfAttention) -> None:
    attn.mask = causal_mask(12).roll(1, dims=0) & causal_mask(12)


def register_window(attn: CausalSelfAttention) -> None:
    window = causal_mask(12) | causal_mask(12).T.roll(-3, dims=1).tril(-3)
    attn.register_buffer("mask", window, persistent=False)


EDITS = [
    zero,
    edit_one,
    edit_first_row,
    edit_last_corner,
    edit_without_trace,
    edit_by_numpy,
    edit_in_inference_mode,
    replace,
    register_window,
]


@pytest.mark.parametrize("edit", EDITS)
def test_edited_mask_is_honoured(edit: Callable[[CausalSelfAttention], None]) -> None:
    plain, fused = make_pair(16, 2, 12)
    x = torch.randn(2, 12, 16)
    before = fused(x)
    for attn in (plain, fused):
        edit(attn)
    assert_alike(plain, fused, x)
    assert not torch.allclose(fused(x), before)


def test_mask_restored_after_an_edit_is_honoured() -> None:
    fused = FusedCausalSelfAttention(16, 2, 12)
    x = torch.randn(2, 12, 16)
    before = fused(x)
    fused.mask.zero_()
    assert not torch.allclose(fused(x), before)
    fused.mask.copy_(causal_mask(12))
    assert torch.equal(fused(x), before)


def test_edit_beyond_the_text_changes_nothing() -> None:
    fused = FusedCausalSelfAttention(16, 2, 12)
    x = torch.randn(2, 5, 16)
    before = fused(x)
    fused.mask[8, 0] = True
    assert torch.equal(fused(x), before)


def test_mask_swapped_for_one_call_is_honoured() -> None:
    plain, fused = make_pair(16, 2, 12)
    x = torch.randn(2, 12, 16)
    state = {"mask": torch.zeros(12, 12, dtype=torch.bool)}
    out = torch.func.functional_call(fused, state, (x,))
    plain.mask.zero_()
    torch.testing.assert_close(out, plain(x))


def test_row_that_sees_nothing_gets_a_context_vector_of_zero() -> None:
    fused = FusedCausalSelfAttention(16, 2, 12)
    fused.mask[3] = True
    torch.testing.assert_close(fused(torch.randn(1, 5, 16))[0, 3], fused.proj.bias)


@pytest.mark.parametrize("T", range(1, 5))
def test_only_the_causal_mask_is_causal(T: int) -> None:
    """All masks of up to four tokens would be 65,536; one bit off says it."""
    mask = causal_mask(T)
    assert is_causal(mask)
    for i in range(T):
        for j in range(T):
            mask[i, j] ^= True
            assert not is_causal(mask)
            mask[i, j] ^= True


def test_exactly_one_mask_of_three_tokens_is_causal() -> None:
    bits = torch.arange(2**9)[:, None] >> torch.arange(9) & 1
    causal = [mask for mask in bits.bool().view(-1, 3, 3) if is_causal(mask)]
    assert len(causal) == 1
    assert torch.equal(causal[0], causal_mask(3))


# Dropout.


def test_dropout_acts_only_in_training() -> None:
    plain, fused = make_pair(16, 2, 12, dropout=0.5)
    x = torch.randn(2, 12, 16)
    assert not torch.equal(fused(x), fused(x))
    fused.eval()
    assert torch.equal(fused(x), fused(x))
    torch.testing.assert_close(fused(x), plain.eval()(x))


def test_dropout_follows_the_mode_of_its_own_module() -> None:
    fused = FusedCausalSelfAttention(16, 2, 12, dropout=0.5)
    fused.attn_drop.eval()
    x = torch.randn(2, 12, 16)
    assert torch.equal(fused(x), fused(x))


def test_same_seed_gives_the_same_draw() -> None:
    fused = FusedCausalSelfAttention(16, 2, 128, dropout=0.5)
    x = torch.randn(1, 100, 16)
    draws = []
    for _ in range(2):
        torch.manual_seed(3)
        draws.append(fused(x))
    assert torch.equal(*draws)


@pytest.mark.parametrize("dropout", [0.1, 0.5])
@pytest.mark.parametrize("T", [10, 64, 130])
def test_dropout_drops_its_share_of_weights_and_scales_the_rest(T: int, dropout: float) -> None:
    """With equal keys and one-hot values, the context is the row of weights."""
    B, H = 100, 2
    q = k = torch.zeros(B, H, T, T)
    v = torch.eye(T).expand(B, H, T, T)
    visible = ~causal_mask(T)
    weights = attend_in_blocks(q, k, v, ~visible, True, dropout)

    full = visible / visible.sum(dim=-1, keepdim=True)
    kept = weights != 0
    expected = full.expand_as(weights)[kept] / (1 - dropout)
    torch.testing.assert_close(weights[kept], expected)
    assert not kept[:, :, ~visible].any()
    share = 1 - kept[:, :, visible].double().mean()
    deviation = (dropout * (1 - dropout) / (B * H * visible.sum())) ** 0.5
    assert abs(share - dropout) < 5 * deviation


def test_dropout_falls_on_each_head_text_and_block_anew() -> None:
    q = k = torch.zeros(2, 2, 256, 256)
    v = torch.eye(256).expand(2, 2, 256, 256)
    nothing = torch.zeros(256, 256, dtype=torch.bool)
    kept = attend_in_blocks(q, k, v, nothing, False, 0.5) != 0
    blocks = kept.view(2 * 2 * 4, 64 * 256).double()
    together = torch.corrcoef(blocks) - torch.eye(16)
    assert together.abs().max() < 0.05


@pytest.mark.parametrize("edit", [None, zero, edit_one])
def test_blocks_agree_with_the_plain_layer_at_hardly_any_dropout(
    edit: Callable[[CausalSelfAttention], None] | None,
) -> None:
    plain, fused = make_pair(16, 2, 160)
    fused.attn_drop.p = 1e-12
    for attn in (plain, fused):
        if edit:
            edit(attn)
    assert_alike(plain.double(), fused.double(), torch.randn(2, 150, 16).double())


def test_backward_pass_meets_the_draw_of_the_forward_pass() -> None:
    """The output is linear in v, so its gradients must add up to it."""
    q, k = torch.randn(2, 1, 2, 100, 8).double()
    v = torch.randn(1, 2, 100, 8).double().requires_grad_()
    out = attend_in_blocks(q, k, v, causal_mask(100), True, 0.5)
    (gradient,) = torch.autograd.grad(out.sum(), v)
    torch.testing.assert_close((gradient * v).sum(), out.sum())


# Memory.


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_memory_grows_with_the_text_and_not_with_its_square(dropout: float) -> None:
    plain, fused = make_pair(64, 4, 1024, dropout=dropout)
    short, long = torch.randn(1, 256, 64), torch.randn(1, 1024, 64)
    assert peak_of_step(plain, long) > 10 * peak_of_step(plain, short)
    assert peak_of_step(fused, long) < 4.5 * peak_of_step(fused, short)


def test_no_table_is_stored() -> None:
    fused = FusedCausalSelfAttention(64, 16, 512)
    x = torch.randn(1, 512, 64)
    table = 16 * 512 * 512 * 4
    assert peak_of_step(fused, x) < table / 4
    fused.mask.zero_()  # now the mask is passed, once for all heads
    assert peak_of_step(fused, x) < table / 4


# One state for both, and where it lives.


def test_constructor_is_that_of_the_plain_layer() -> None:
    signature = inspect.signature(FusedCausalSelfAttention)
    assert signature == inspect.signature(CausalSelfAttention)


@pytest.mark.parametrize("qkv_bias", [True, False])
def test_each_loads_the_state_that_the_other_saved(qkv_bias: bool) -> None:
    x = torch.randn(1, 8, 8)
    classes = (CausalSelfAttention, FusedCausalSelfAttention)
    for source, target in (classes, classes[::-1]):
        saved = source(8, 2, 8, qkv_bias=qkv_bias)
        file = io.BytesIO()
        torch.save(saved.state_dict(), file)
        file.seek(0)
        loaded = target(8, 2, 16, qkv_bias=qkv_bias)
        loaded.load_state_dict(torch.load(file, weights_only=True))
        assert list(loaded.state_dict()) == list(saved.state_dict())
        torch.testing.assert_close(loaded(x), saved(x))


def test_same_seed_gives_the_same_parameters() -> None:
    states = []
    for layer in (CausalSelfAttention, FusedCausalSelfAttention):
        torch.manual_seed(1)
        states.append(layer(8, 2, 8).state_dict())
    torch.testing.assert_close(*states, rtol=0, atol=0)


def by_pickle(fused: FusedCausalSelfAttention) -> Any:
    return pickle.loads(pickle.dumps(fused))


def by_file(fused: FusedCausalSelfAttention) -> Any:
    file = io.BytesIO()
    torch.save(fused, file)
    file.seek(0)
    return torch.load(file, weights_only=False)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, by_pickle, by_file])
@pytest.mark.parametrize("edit", [None, zero])
def test_copies_keep_the_mask_and_share_nothing(
    duplicate: Callable[[FusedCausalSelfAttention], FusedCausalSelfAttention],
    edit: Callable[[CausalSelfAttention], None] | None,
) -> None:
    fused = FusedCausalSelfAttention(8, 2, 8)
    x = torch.randn(1, 8, 8)
    fused(x)
    if edit:
        edit(fused)
    twin = duplicate(fused)
    before = fused(x)
    assert torch.equal(twin(x), before)
    edit_one(twin)
    assert torch.equal(fused(x), before)
    assert not torch.equal(twin(x), before)


def test_edited_mask_outlives_a_change_of_number_type() -> None:
    plain, fused = make_pair(8, 2, 8)
    for attn in (plain, fused):
        zero(attn)
        attn.to(torch.float64)
    assert_alike(plain, fused, torch.randn(1, 8, 8).double())


@pytest.mark.parametrize("dropout", [0.0, 0.1])
def test_shapes_are_known_without_values(dropout: float) -> None:
    fused = FusedCausalSelfAttention(8, 2, 8, dropout).to("meta")
    assert fused(torch.randn(1, 5, 8, device="meta")).shape == (1, 5, 8)


@pytest.mark.parametrize("edit", [None, zero])
def test_compiled_graph_honours_the_mask(
    edit: Callable[[CausalSelfAttention], None] | None,
) -> None:
    fused = FusedCausalSelfAttention(8, 2, 8).eval()
    x = torch.randn(1, 5, 8)
    compiled = torch.compile(fused, backend="eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), fused(x))
    if edit:
        edit(fused)
    torch.testing.assert_close(compiled(x), fused(x))


# Refusals.


@pytest.mark.parametrize("training", [True, False])
def test_asking_for_weights_is_refused_with_what_to_do(training: bool) -> None:
    fused = FusedCausalSelfAttention(8, 2, 8).train(training)
    text = (
        "FusedCausalSelfAttention stores no weights to return; "
        "load its state_dict() into a CausalSelfAttention"
    )
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        fused(torch.randn(1, 5, 8), return_weights=True)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((770, 12, 8), "emb_dim=770 does not divide into n_heads=12 equal heads"),
        ((8, 2, -1), "context_length=-1 is not a positive int"),
        ((8, 2, 8, 1.0), "dropout=1.0 lies outside [0, 1)"),
    ],
)
def test_impossible_settings_are_refused(arguments: tuple[Any, ...], text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}"):
        FusedCausalSelfAttention(*arguments)


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((1, 9, 8), "x has 9 tokens, more than context_length=8"),
        ((5, 8), "x of shape (5, 8) is not (B, T, C) with C=8"),
        ((1, 5, 7), "x of shape (1, 5, 7) has 7 numbers per token, not 8"),
        ((1, 0, 8), "x of shape (1, 0, 8) holds no token"),
    ],
)
def test_input_of_another_shape_is_refused(shape: tuple[int, ...], text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}"):
        FusedCausalSelfAttention(8, 2, 8)(torch.zeros(shape))
