"""Files of tensors and networks: headers that are checked, graphs that are read, arrays that move.

The elements are moved by the engine, and nothing here knows of requests."""
