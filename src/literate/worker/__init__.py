"""The child process that runs a page's blocks: ``python -m literate.worker``."""
