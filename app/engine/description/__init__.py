"""The description of a tensor: names, properties, sizes. The layout of a NumPy or PyTorch array."""
