"""The contract: the requests, the answers and the steps of a view, each defined once.

The HTTP API and the command line both use it; it imports neither of them. ``operations`` lists
the calls. Each call has a request (``requests``), a function that returns the answer
(``answers``) and the documented shape of the answer (``shapes``).
"""
