"""The full description of a tensor, the named formats, and the tensor of a request."""
