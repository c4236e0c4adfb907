"""POST /reorder/file: takes a tensor file, returns the same kind of file in another layout."""
