"""The contract: what may be asked, what is answered, and the steps of a view, each said once.

The HTTP API and the command line both use it; it knows neither of them. ``operations`` lists the
calls: each has a request (``requests``), a function that answers it (``answers``) and the
documented shape of the answer (``shapes``).
"""
