"""One module per system: how its text is recognised, read and written. What several systems need is
in ``grammar``."""
