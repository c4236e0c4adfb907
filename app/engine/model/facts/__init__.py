"""Facts about a layout: predicates, oneDNN's blocking descriptor, the sizes of its buffer."""
