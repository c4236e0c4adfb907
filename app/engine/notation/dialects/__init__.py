"""One module per dialect: how its text is recognised, read and written."""
