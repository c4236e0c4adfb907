"""The full description of a tensor: names, sizes, owners of addresses; and arrays that exist."""
