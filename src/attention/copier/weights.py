"""The copier's parameters, from and to a safetensors file."""

from pathlib import Path

from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from attention.copier.model import Copier, CopierConfig

FILE = Path(__file__).with_name("copier.safetensors")
HINT = "python scripts/train_copier.py makes it anew"


def load_copier(
    path: Path | str = FILE, config: CopierConfig | None = None
) -> Copier:
    """Load a trained copier; without arguments, the one that comes along.

    Args:
        path: The safetensors file.
        config: The sizes it was trained with; the usual ones if left out.

    Returns:
        The model, in evaluation mode.

    Raises:
        ValueError: If the file is missing or damaged, or its tensors are
            not those of such a copier. The message names the file and the
            tensors.
    """
    state = read_tensors(Path(path))
    copier = Copier(config or CopierConfig())
    check_tensors(Path(path), state, copier.state_dict())
    copier.load_state_dict(state)
    return copier.eval()


def save_copier(copier: Copier, path: Path | str) -> None:
    """Write the copier's parameters as a safetensors file.

    Args:
        copier: The model.
        path: Where the file goes; its folder must exist.
    """
    Path(path).write_bytes(save(copier.state_dict()))


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Read all tensors of a safetensors file."""
    # Through Python's open, so that whoever watches which files are read
    # sees this one too; safetensors' own reader would go unseen.
    try:
        with path.open("rb") as file:
            return load(file.read())
    except OSError as error:
        raise ValueError(
            f"{path}: cannot be read ({error.strerror}); {HINT}"
        ) from error
    except SafetensorError as error:
        raise ValueError(
            f"{path}: no whole safetensors file ({error}); {HINT}"
        ) from error


def check_tensors(
    path: Path, state: dict[str, Tensor], wanted: dict[str, Tensor]
) -> None:
    """Raise unless the state has the names, shapes and types wanted."""
    faults = [f"{name} is missing" for name in wanted.keys() - state.keys()]
    faults += [
        f"{name} is unknown" for name in state.keys() - wanted.keys()
    ]
    for name in wanted.keys() & state.keys():
        if describe(state[name]) != describe(wanted[name]):
            faults.append(
                f"{name} is {describe(state[name])}, "
                f"not {describe(wanted[name])}"
            )
        elif not state[name].isfinite().all():
            faults.append(f"{name} holds numbers that are not finite")
    if faults:
        raise ValueError(f"{path}: {'; '.join(sorted(faults))}; {HINT}")


def describe(tensor: Tensor) -> str:
    """Say what shape and type a tensor has."""
    return f"{tuple(tensor.shape)} {str(tensor.dtype).split('.')[1]}"
