"""The picture of a tensor from the engine alone: cells, their colours, their places, their texts.

Here lives what the page's canvases draw, computed in Python, and its files: SVG, PNG, TikZ, text;
each rule equals one of ``static``, which tests compare. It knows no HTTP, no templates and no
terminal.
"""
