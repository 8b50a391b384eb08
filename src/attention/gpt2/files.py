"""Where the files of a model are: a folder, or the hub and its cache."""

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class Source:
    """A folder, or a repository of the hub.

    Attributes:
        name: The folder or the repository, as it was given.
        folder: The folder; ``None`` for a repository.
        download: Whether files that are not here may be fetched.
    """

    name: str
    folder: Path | None
    download: bool

    def find(self, name: str) -> Path | None:
        """Give the path of a file, or ``None`` where there is none.

        Raises:
            ConnectionError: If it had to be fetched and could not be.
        """
        if self.download and self.folder is None:
            return _fetch(self.name, name)
        return self.find_here(name)

    def find_here(self, name: str) -> Path | None:
        """Give the path of a file on this machine; never fetches it."""
        if self.folder is None:
            return _cached(self.name, name)
        path = self.folder / name
        return path if path.is_file() else None

    def need(self, *names: str) -> Path:
        """Give the path of the first of some files that is there.

        Raises:
            ConnectionError: If it had to be fetched and could not be.
            FileNotFoundError: If there is none of them.
        """
        for name in names:
            path = self.find(name)
            if path is not None:
                return path
        raise FileNotFoundError(f"{self.name}: {self.lack(names)}")

    def lack(self, names: tuple[str, ...]) -> str:
        """Say that none of some files is there, and what to do."""
        files = " or ".join(names)
        if self.folder is not None:
            return f"there is no {files} in this folder; copy it there"
        if self.download:
            return f"the repository has no {files}; give another one"
        return (
            f"no {files} of this repository is on this machine, and "
            "nothing is fetched unless asked: download=True or --download"
        )


def open_source(source: str | Path, download: bool) -> Source:
    """Tell a folder from a repository; touches no network.

    Raises:
        FileNotFoundError: If it is neither a folder that exists nor the
            name of a repository.
    """
    if Path(source).is_dir():
        return Source(str(source), Path(source), download)
    if isinstance(source, str) and REPOSITORY.fullmatch(source):
        return Source(source, None, download)
    raise FileNotFoundError(
        f"{source}: no such folder; give the folder that holds the model, "
        "or a repository such as openai-community/gpt2"
    )


def _cached(repository: str, name: str) -> Path | None:
    """Look into the hub's cache on this machine, and nowhere else."""
    # Here and below, since it takes long to load and folders need none.
    import huggingface_hub

    path = huggingface_hub.try_to_load_from_cache(repository, name)
    return Path(path) if isinstance(path, str) else None


def _fetch(repository: str, name: str) -> Path | None:
    """Fetch a file into the hub's cache, unless it is there and current."""
    import huggingface_hub
    from huggingface_hub.errors import (
        EntryNotFoundError,
        LocalEntryNotFoundError,
    )

    try:
        # The model is public: nobody's token is sent.
        path = huggingface_hub.hf_hub_download(
            repository, name, token=False
        )
    except Exception as error:
        # The client lets through what each of its own libraries raises.
        # A file that is on neither side is no fault of the connection.
        absent = isinstance(error, EntryNotFoundError)
        if absent and not isinstance(error, LocalEntryNotFoundError):
            return None
        raise ConnectionError(
            f"{repository}: {name} could not be fetched: {error}; try "
            "again, what has arrived is kept"
        ) from error
    return Path(path)
