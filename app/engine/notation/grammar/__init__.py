"""Grammars that several dialects share: cursors, literals, index and affine expressions."""
