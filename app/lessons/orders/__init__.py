"""The lessons of the second chapter: orders of dimensions, and views of a memory."""
