"""The full description of a tensor: names, properties, sizes; and arrays that exist."""
