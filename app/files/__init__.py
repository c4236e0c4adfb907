"""Files of tensors: their headers read and written."""
