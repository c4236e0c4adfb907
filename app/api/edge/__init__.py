"""What stands around the routes: compression, CORS, request ids, the log. No call is computed here."""
