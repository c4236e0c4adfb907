"""POST /reorder/file: a tensor file in, the same kind of file in another layout out."""
