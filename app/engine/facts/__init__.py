"""What a layout is: predicates, the blocking descriptor, the sizes of its buffer."""
