"""Tests of causal_mask."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from attention import causal_mask


def test_mask_of_three_tokens_hides_the_upper_triangle() -> None:
    """Claim M1: the mask that the chapter prints, to the character."""
    printed = (
        "tensor([[False,  True,  True],\n"
        "        [False, False,  True],\n"
        "        [False, False, False]])"
    )
    assert repr(causal_mask(3)) == printed


@given(T=st.integers(1, 40))
def test_mask_hides_exactly_the_later_tokens(T: int) -> None:
    mask = causal_mask(T)
    assert mask.dtype == torch.bool
    assert mask.tolist() == [[j > i for j in range(T)] for i in range(T)]


@given(T=st.integers(2, 40), data=st.data())
def test_mask_of_a_prefix_is_the_corner_of_the_mask(T: int, data: st.DataObject) -> None:
    prefix = data.draw(st.integers(1, T))
    assert torch.equal(causal_mask(T)[:prefix, :prefix], causal_mask(prefix))


@pytest.mark.parametrize("device", ["cpu", "meta", torch.device("meta")])
def test_mask_is_made_on_the_device_asked_for(device: torch.device | str) -> None:
    assert causal_mask(3, device=device).device == torch.device(device)


def test_mask_without_device_follows_the_default_device() -> None:
    with torch.device("meta"):
        assert causal_mask(3).device.type == "meta"
    assert causal_mask(3).device.type == "cpu"


@pytest.mark.parametrize("T", [0, -1, 2.0])
def test_mask_of_no_whole_number_of_tokens_is_refused(T: int) -> None:
    with pytest.raises(ValueError, match=rf"^T={T} is not a positive int; give 1"):
        causal_mask(T)
