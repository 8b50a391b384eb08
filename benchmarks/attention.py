"""Time and memory of the chapter's layers beside those of others.

    .venv/bin/python benchmarks/attention.py
    .venv/bin/python benchmarks/attention.py --rounds 40 --threads 2

Needs what the chapter needs. GPT-2's attention from ``transformers`` takes
part where that is installed (``pip install transformers==5.23.0``), best in
an environment of its own; the rest is the same without it.

Every layer runs in this one process, in float32, at the width of the small
GPT-2: 768 numbers per token and 12 heads, for 8 texts of 256 tokens and for
one of 1,024. All have the same parameters and their outputs are compared
before anything is timed; only ``OneHeadAttention`` has others, one head as
wide as 12 and no projection.

What is timed is one step of training without dropout: the forward pass, and
the backward pass to the input and all parameters. A round runs each layer
once, every round in another order. A time is the median over all rounds. A
ratio is the median of the ratios within each round, so that a busy spell,
which hits neighbours alike, falls out of it. Rounds that warm up are not
counted. The peak is of all tensors alive at one time during a step, without
the input and the parameters; what a kernel holds inside itself is not seen.

Two goals are printed at the end, each as a ratio of forward and backward
together: the fused layer takes at most 5% longer than the bare function it
calls, and the plain one no longer than the eager one of transformers. They
are goals and not tests: a slow machine fails nothing.
"""

import argparse
import importlib.metadata
import platform
import random
import statistics
import sys
import time
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

# This file has the name of the package, and its folder would be searched first.
sys.path = [path for path in sys.path if Path(path).resolve() != Path(__file__).resolve().parent]

from attention import (  # noqa: E402 - only now is it the package
    CausalSelfAttention,
    FusedCausalSelfAttention,
    OneHeadAttention,
    causal_mask,
)

SHAPES = ((8, 256, 768), (1, 1024, 768))
N_HEADS = 12
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}

FLOOR = "bare scaled_dot_product_attention"
FUSED = "FusedCausalSelfAttention"
PLAIN = "CausalSelfAttention"
EAGER = "transformers GPT-2, eager"


class Bare(CausalSelfAttention):
    """Nothing but the projections and PyTorch's function."""

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        parts = self.qkv(x).split(C, dim=-1)
        q, k, v = (part.view(B, T, N_HEADS, -1).transpose(1, 2) for part in parts)
        context = scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.proj(context.transpose(1, 2).reshape(B, T, C))


@dataclass
class Contestant:
    """A layer, how to call it, and what was measured."""

    name: str
    module: nn.Module
    call: Callable[[Tensor], Tensor]
    same: bool = True  # computes what the others do
    peak: int = 0
    forward: list[float] = field(default_factory=list)
    backward: list[float] = field(default_factory=list)

    @property
    def both(self) -> list[float]:
        return [sum(pair) for pair in zip(self.forward, self.backward, strict=True)]


def make_contestants(T: int, C: int) -> Iterable[Contestant]:
    """Yield every layer that can be had here, with the same parameters."""
    plain = CausalSelfAttention(C, N_HEADS, T)
    one = OneHeadAttention(C, C, qkv_bias=True)
    yield Contestant("OneHeadAttention", one, one, same=False)
    yield Contestant(PLAIN, plain, plain)
    for name, kind in ((FUSED, FusedCausalSelfAttention), (FLOOR, Bare)):
        layer = kind(C, N_HEADS, T)
        layer.load_state_dict(plain.state_dict())
        yield Contestant(name, layer, layer)
    yield multihead(plain, causal_mask(T))
    yield from published(plain, causal_mask(T))


def multihead(plain: CausalSelfAttention, hidden: Tensor) -> Contestant:
    """PyTorch's own layer, asked for no weights."""
    layer = nn.MultiheadAttention(plain.emb_dim, N_HEADS, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight.copy_(plain.qkv.weight)
        layer.in_proj_bias.copy_(plain.qkv.bias)
        layer.out_proj.load_state_dict(plain.proj.state_dict())

    def call(x: Tensor) -> Tensor:
        return layer(x, x, x, attn_mask=hidden, is_causal=True, need_weights=False)[0]

    return Contestant("nn.MultiheadAttention", layer, call)


def published(plain: CausalSelfAttention, hidden: Tensor) -> Iterable[Contestant]:
    """GPT-2's attention as transformers has it, where that is installed."""
    try:
        from transformers import GPT2Config
        from transformers.models.gpt2.modeling_gpt2 import GPT2Attention
    except ImportError:
        return
    # The model makes this once for all its layers, so it is not timed.
    lowest = torch.finfo(torch.float32).min
    added = torch.zeros(hidden.shape).masked_fill(hidden, lowest)[None, None]
    for kind, mask in (("eager", added), ("sdpa", None)):
        config = GPT2Config(
            n_embd=plain.emb_dim,
            n_head=N_HEADS,
            attn_pdrop=0.0,
            resid_pdrop=0.0,
            attn_implementation=kind,
        )
        layer = GPT2Attention(config, layer_idx=0)
        with torch.no_grad():
            for theirs, ours in ((layer.c_attn, plain.qkv), (layer.c_proj, plain.proj)):
                theirs.weight.copy_(ours.weight.T)
                theirs.bias.copy_(ours.bias)

        def call(x: Tensor, layer: nn.Module = layer, mask: Tensor | None = mask) -> Tensor:
            return layer(x, attention_mask=mask)[0]

        yield Contestant(f"transformers GPT-2, {kind}", layer, call)


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


def step(
    contestant: Contestant, x: Tensor, clock: Callable[[], float]
) -> tuple[float, float, Tensor]:
    """Run forward and backward once; give both times and the output."""
    x = x.clone().requires_grad_()
    contestant.module.zero_grad()
    start = clock()
    out = contestant.call(x)
    middle = clock()
    out.backward(torch.ones_like(out))
    return middle - start, clock() - middle, out.detach()


def measure(
    contestants: list[Contestant], x: Tensor, rounds: int, clock: Callable[[], float]
) -> None:
    """Compare the outputs, then run all rounds and note times and peaks."""
    expected = None
    for contestant in contestants:
        with PeakMemory() as memory:
            out = step(contestant, x, clock)[2]
        contestant.peak = memory.peak
        if contestant.same:
            expected = out if expected is None else expected
            torch.testing.assert_close(out, expected, msg=f"{contestant.name} differs")
    warm_up = 2
    order = random.Random(0)
    for round_ in range(-warm_up, rounds):
        for contestant in order.sample(contestants, len(contestants)):
            forward, backward, _ = step(contestant, x, clock)
            if round_ >= 0:
                contestant.forward.append(forward)
                contestant.backward.append(backward)


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median over the rounds of one time divided by the other."""
    return statistics.median(a / b for a, b in zip(ours, theirs, strict=True))


def report(contestants: list[Contestant]) -> None:
    """Print a line for every layer, and then how the goals stand."""
    by_name = {contestant.name: contestant for contestant in contestants}
    floor = by_name[FLOOR]
    print(f"{'':34} {'ms':^17}   {'times the bare function':^25} {'MB':>8}")
    titles = f"{'forward':>8} {'backward':>8}   {'forward':>8} {'backward':>8} {'both':>7}"
    print(f"{'':34} {titles} {'peak':>8}")
    for it in contestants:
        ms = [1000 * statistics.median(times) for times in (it.forward, it.backward)]
        times = [
            ratio(it.forward, floor.forward),
            ratio(it.backward, floor.backward),
            ratio(it.both, floor.both),
        ]
        print(
            f"{it.name:34} {ms[0]:8.1f} {ms[1]:8.1f}   "
            f"{times[0]:8.2f} {times[1]:8.2f} {times[2]:7.2f} {it.peak / 1e6:8.1f}"
        )
    if EAGER not in by_name:
        print(f"{'transformers GPT-2, eager and sdpa':34} not installed")

    fused = ratio(by_name[FUSED].both, floor.both)
    print(f"fused / bare: {fused:.3f}, goal at most 1.05")
    if EAGER in by_name:
        plain = ratio(by_name[PLAIN].both, by_name[EAGER].both)
        print(f"plain / transformers eager: {plain:.3f}, goal at most 1.00")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Time and memory of the chapter's layers beside those of others.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--rounds", type=int, default=20, help="how often each layer runs")
    parser.add_argument("--threads", type=int, default=1, help="threads for PyTorch to use")
    parser.add_argument(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="wall time, or the processor time of all threads, which a busy machine disturbs less",
    )
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.threads < 1:
        parser.error("--rounds and --threads must be 1 or more")
    return arguments


def version(package: str) -> str:
    """The installed version of a package, or that there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def main() -> int:
    arguments = read_arguments()
    torch.set_num_threads(arguments.threads)
    print(f"Python {platform.python_version()} on {platform.machine()}, ", end="")
    print(f"{torch.backends.cpu.get_cpu_capability()}, {arguments.threads} thread(s)")
    print(f"torch {torch.__version__}, transformers {version('transformers')}")
    print(f"{arguments.rounds} rounds, {arguments.clock} time")
    for shape in SHAPES:
        torch.manual_seed(123)
        contestants = list(make_contestants(*shape[1:]))
        measure(contestants, torch.randn(shape), arguments.rounds, CLOCKS[arguments.clock])
        print(f"\n{shape}")
        report(contestants)
    return 0


if __name__ == "__main__":
    sys.exit(main())
