"""The lessons of the fourth chapter: what a program reads, fetches and copies."""
