"""Grammars that several dialects share: cursors, literals, index and affine expressions, tiles.
Nothing here belongs to one system."""
