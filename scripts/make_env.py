"""Make .venv and install what requirements.txt pins.

``make`` runs this whenever requirements.txt or pyproject.toml is newer than the
stamp; by hand it is ``python scripts/make_env.py``. It needs nothing but Python's
standard library, and syntax no newer than Python 3.6, so that an older Python says
what is wrong instead of failing to read it.

The stamp is removed first and written last: an install that was interrupted is
done again the next time.
"""

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, List, Optional, Sequence

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
STAMP = "installed"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"


class SetupError(Exception):
    """What keeps the environment from being made, in one sentence."""


def require_python(
    version: Sequence[Any] = sys.version_info, executable: str = sys.executable
) -> None:
    """Refuse a Python that is older than the pinned packages allow."""
    if tuple(version[:2]) < OLDEST:
        found = ".".join(str(part) for part in version[:3])
        raise SetupError(
            f"Python 3.11 or newer is needed, and {executable} is Python {found}; "
            "install a newer one, or name it: make PYTHON=/path/to/python3."
        )


def require_venv(
    find_spec: Callable[[str], Optional[Any]] = importlib.util.find_spec,
) -> None:
    """Refuse a Python that cannot make environments (Debian splits that part off)."""
    if find_spec("venv") is None or find_spec("ensurepip") is None:
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        raise SetupError(
            f"{sys.executable} comes without a complete venv module, so it can make "
            f"no environment; on Debian and Ubuntu the package {package} has it."
        )


def venv_python(folder: Path) -> Path:
    """Return the path of the environment's own interpreter."""
    if os.name == "nt":
        return folder / "Scripts" / "python.exe"
    return folder / "bin" / "python"


def works(folder: Path) -> bool:
    """Whether the environment runs a Python that is new enough, and has pip."""
    python = venv_python(folder)
    if not python.exists():
        return False
    probe = f"import sys, pip; sys.exit(sys.version_info < {OLDEST})"
    run = subprocess.run([str(python), "-c", probe], stderr=subprocess.DEVNULL)
    return run.returncode == 0


def make_venv(folder: Path) -> None:
    """Make the environment, in place of a broken one; leave a working one as it is."""
    if works(folder):
        return
    if folder.exists() and not (folder / "pyvenv.cfg").exists() and any(folder.iterdir()):
        raise SetupError(f"{folder} is no virtual environment and is not empty; move it away.")
    require_venv()
    import venv  # not at the top: where it is missing, the sentence above comes first

    print(f"making {folder} with Python {sys.version.split()[0]}", flush=True)
    venv.create(str(folder), clear=True, with_pip=True)


def torch_pin(requirements: str) -> str:
    """Return the requirement that names PyTorch's version."""
    match = re.search(r"^torch==[^\s;#]+", requirements, flags=re.MULTILINE)
    if match is None:
        raise SetupError("requirements.txt pins no torch, so TORCH_INDEX has no meaning.")
    return match.group()


def pip(python: Path, *arguments: str) -> None:
    """Run the environment's pip in the project's folder, its progress in view."""
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    status = subprocess.run(command, cwd=str(ROOT)).returncode
    if status != 0:
        raise SetupError(
            f"pip ended with status {status}, its reason stands above; "
            "when that is mended, the same command goes on from here."
        )


def warn_of_size(python: Path) -> None:
    """Say what the default build of PyTorch costs where it may be of no use."""
    probe = "import sys, importlib.util as u; sys.exit(u.find_spec('torch') is None)"
    installed = subprocess.run([str(python), "-c", probe]).returncode == 0
    if installed or shutil.which("nvidia-smi"):
        return
    print(
        "note: on Linux the default PyTorch is its CUDA build, a download of about "
        "3 GB; this machine shows no NVIDIA GPU, and TORCH_INDEX="
        f"{CPU_INDEX} takes the CPU build, about 0.2 GB, instead.",
        file=sys.stderr,
        flush=True,
    )


def install(folder: Path, torch_index: str) -> None:
    """Install what is pinned and the project itself; write the stamp last."""
    stamp = folder / STAMP
    if stamp.exists():
        stamp.unlink()
    python = venv_python(folder)
    if torch_index:
        pin = torch_pin((ROOT / "requirements.txt").read_text(encoding="utf-8"))
        # Without its dependencies: their versions are for requirements.txt to say.
        pip(python, "install", "--no-deps", "--index-url", torch_index, pin)
    elif sys.platform == "linux":
        warn_of_size(python)
    pip(python, "install", "-r", "requirements.txt")
    stamp.write_text("requirements.txt is installed\n", encoding="utf-8")


def main(arguments: Optional[List[str]] = None) -> int:
    """Make or refresh the environment; 0 when it stands, 1 when it does not."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="where (default: .venv)")
    parser.add_argument(
        "--torch-index",
        default="",
        metavar="URL",
        help=f"take PyTorch from this index, such as {CPU_INDEX}",
    )
    options = parser.parse_args(arguments)
    try:
        require_python()
        make_venv(options.venv)
        install(options.venv, options.torch_index)
    except SetupError as error:
        print(f"make_env: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("make_env: interrupted; the next run does it again.", file=sys.stderr)
        return 130
    print(f"{options.venv} is ready")
    return 0


if __name__ == "__main__":
    sys.exit(main())
