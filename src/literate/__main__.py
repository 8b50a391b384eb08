"""``python -m literate``: the command line."""

import sys

from literate.cli import main

if __name__ == "__main__":
    sys.exit(main())
