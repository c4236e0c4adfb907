"""Networks from ``.onnx`` files, read through the library ``onnx``.

``wire`` checks the bytes and takes the weights out, ``model`` parses what is left with the library
and inlines functions, ``network`` makes the graph of it. No value of a weight is read.
"""

from .model import MissingLibraryError
from .network import ModelReading, read_network

__all__ = ["MissingLibraryError", "ModelReading", "read_network"]
