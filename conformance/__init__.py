"""Live comparison of the engine with the libraries whose layouts it speaks: `make conformance`."""
