"""The model: what a layout is, and where each element lies in memory.

Read it in this order: ``digits``, ``layout``, ``dtypes``, ``address``, ``facts``, ``views``;
``errors``, ``arrays`` and ``sizes`` hold what these share, to look up when it is met.
It reads no text but names of element types, knows no network and moves no element. It imports NumPy
and ml_dtypes, CuPy where that is in use, ``app.nearest``, and nothing else of the engine.
"""
