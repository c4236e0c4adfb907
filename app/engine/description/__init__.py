"""The full description of a tensor: its names, sizes, owners of addresses; and arrays that exist."""
