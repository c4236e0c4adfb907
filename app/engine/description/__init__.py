"""Everything there is to say about one tensor, and the tensor as it was asked for."""
