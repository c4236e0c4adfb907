"""The words that the pages explain, each with its drawing. No layout is computed here."""

from .word import HELP, WORDS, Help, Word, words_on

__all__ = ["HELP", "WORDS", "Help", "Word", "words_on"]
