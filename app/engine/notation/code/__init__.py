"""Runnable code that makes a layout."""
