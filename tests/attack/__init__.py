"""Attacks on a started service, on the loopback only: `make attack`, in short in `make test`."""
