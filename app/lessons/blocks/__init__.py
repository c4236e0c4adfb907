"""The lessons of the third chapter: padding, and dimensions in blocks."""
