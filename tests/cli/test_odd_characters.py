"""Integers on the command line: blanks of any kind, digits of ASCII alone."""

from app.cli.arguments import integers
from tests.odd_characters import ODD, accepted


def test_blanks_part_and_other_characters_are_refused() -> None:
    for character, text, found in accepted(
        lambda text: integers(text, "shape"), "(2, -3)", ODD, "shape"
    ):
        assert character.isspace(), repr(text)
        assert found == [2, -3], repr(text)
