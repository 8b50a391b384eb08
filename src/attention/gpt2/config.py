"""The sizes of a GPT-2, and the settings file that names them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attention.checks import check_settings, check_sizes

# What a settings file may say, and what it means where it says nothing: the
# defaults of `transformers`, which the published file relies on.
_SIZES = {
    "vocab_size": ("vocab_size", 50257),
    "context_length": ("n_positions", 1024),
    "emb_dim": ("n_embd", 768),
    "n_heads": ("n_head", 12),
    "n_layers": ("n_layer", 12),
}
_ONLY = {
    "model_type": ("gpt2",),
    "activation_function": ("gelu_new", "gelu_pytorch_tanh"),
    "scale_attn_weights": (True,),
    "scale_attn_by_inverse_layer_idx": (False,),
    "reorder_and_upcast_attn": (False,),
    "add_cross_attention": (False,),
    "tie_word_embeddings": (True,),
    "quantization_config": (None,),
}


@dataclass(frozen=True)
class GPT2Config:
    """The sizes of a GPT-2; the defaults are those of the small one.

    Dropout is no part of it: this model is for running and looking, as in
    the code that OpenAI published.

    Attributes:
        vocab_size: How many tokens there are.
        context_length: The largest number of tokens in one sequence.
        emb_dim: Numbers per token; a multiple of ``n_heads``.
        n_heads: Heads in each layer.
        n_layers: Blocks, each with one layer of attention.
        mlp_dim: Numbers per token inside a block's MLP.
        norm_eps: What layer norm adds to the variance before the root.

    Raises:
        ValueError: If a size is not a positive int, ``emb_dim`` does not
            divide by ``n_heads``, or ``norm_eps`` is not above 0.

    Source:
        Radford et al., "Language Models are Unsupervised Multitask
        Learners" (2019), section 2.3, and the published ``config.json``.
    """

    vocab_size: int = 50257
    context_length: int = 1024
    emb_dim: int = 768
    n_heads: int = 12
    n_layers: int = 12
    mlp_dim: int = 3072
    norm_eps: float = 1e-5

    def __post_init__(self) -> None:
        check_settings(self.emb_dim, self.n_heads, self.context_length, 0.0)
        check_sizes(
            vocab_size=self.vocab_size,
            n_layers=self.n_layers,
            mlp_dim=self.mlp_dim,
        )
        if not self.norm_eps > 0:  # written so that nan fails too
            raise ValueError(
                f"norm_eps={self.norm_eps} is not above 0; give 1e-5 or so"
            )

    @classmethod
    def from_json(cls, path: Path | str) -> "GPT2Config":
        """Read the ``config.json`` that lies beside weights on the hub.

        Args:
            path: The file. A setting that it leaves out has the default
                of ``transformers``; one that this model does not know and
                that changes no result is passed over.

        Returns:
            The sizes that it names.

        Raises:
            FileNotFoundError: If there is no such file.
            ValueError: If it is not the JSON of an object, a value is of
                the wrong kind, or it asks for something that this model
                does not do.
        """
        with Path(path).open(encoding="utf-8") as file:
            try:
                values = json.load(file)
            # Bad JSON, bad UTF-8, or brackets without end.
            except (ValueError, RecursionError) as error:
                raise ValueError(
                    f"{path}: not JSON: {error}; fetch it again"
                ) from error
        if not isinstance(values, dict):
            raise ValueError(
                f"{path}: not an object of settings; fetch it again"
            )
        try:
            return cls._of(values)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> "GPT2Config":
        """The sizes that a settings file names."""
        _check_supported(values)
        sizes = {
            ours: _whole(values, *theirs) for ours, theirs in _SIZES.items()
        }
        inner = (
            None
            if values.get("n_inner") is None
            else _whole(values, "n_inner", 0)
        )
        eps = values.get("layer_norm_epsilon", 1e-5)
        if isinstance(eps, bool) or not isinstance(eps, int | float):
            raise ValueError(
                f"layer_norm_epsilon={eps!r} is not a number; mend the file"
            )
        return cls(
            **sizes,
            mlp_dim=inner or 4 * sizes["emb_dim"],
            norm_eps=float(eps),
        )


def _check_supported(values: Mapping[str, Any]) -> None:
    """Raise unless each setting that changes results is one we compute."""
    wrong = [
        f"{name}={values[name]!r} (only {' or '.join(map(repr, known))})"
        for name, known in _ONLY.items()
        if name in values and values[name] not in known
    ]
    if wrong:
        raise ValueError(
            f"asks for what this GPT-2 does not do: {', '.join(wrong)}"
        )


def _whole(values: Mapping[str, Any], name: str, default: int) -> int:
    value = values.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(
            f"{name}={value!r} is no whole number above 0; mend the file"
        )
    return value
