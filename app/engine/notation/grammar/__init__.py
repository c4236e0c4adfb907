"""Grammars that several dialects share: cursors, literals, index and affine expressions.
Nothing here belongs to one system."""
