"""Facts about a layout: predicates, oneDNN's blocking descriptor."""
