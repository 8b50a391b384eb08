"""What the README says of the settings, held against the code."""

import re
from dataclasses import fields
from pathlib import Path

from literate.settings import Settings

README = Path(__file__).parents[2] / "README.md"


def test_readme_lists_every_setting_and_no_other() -> None:
    table = README.read_text("utf-8").split("| setting | default | meaning |")[1].split("\n\n")[0]
    listed = re.findall(r"^\| `(\w+)` \|", table, re.M)
    assert listed == [item.name for item in fields(Settings)]
