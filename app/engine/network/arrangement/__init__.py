"""Where the parts of a network are drawn: repeated blocks folded, vertices in layers, edges.

Positions are units that any screen can scale; colours, words and marks are the page's.
"""
