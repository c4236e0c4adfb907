"""The lessons of the first chapter: addresses and strides, one module each."""
