"""One browser test gets the page of another: nothing that lasts may reach it unseen."""

import re

import pytest

from tests.places import ROOT

FOLDER = ROOT / "tests/browser"
OWN = {"pages.py"}  # where it is done
FILES = sorted(path.name for path in FOLDER.glob("*.py") if path.name not in OWN)
LISTENING = re.compile(r"\.(?:on|once)\(")
LASTING = re.compile(r"(\S*)\.(?:add_init_script|new_cdp_session|expose_\w+|clock\.install)\(")


@pytest.mark.parametrize("name", FILES)
def test_what_lasts_in_a_page_is_done_by_hear_and_lasting(name: str) -> None:
    python = re.sub(r'"""(?s:.*?)"""', "", (FOLDER / name).read_text(encoding="utf-8"))
    assert LISTENING.findall(python) == []
    assert [who for who in LASTING.findall(python) if not who.startswith("lasting(")] == []
