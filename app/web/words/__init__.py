"""The words that the pages explain, each with its drawing. No layout is computed here."""

from .entries import HELP, WORDS, words_on
from .word import Help, Word

__all__ = ["HELP", "WORDS", "Help", "Word", "words_on"]
