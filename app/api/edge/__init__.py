"""What stands around the routes: compression, CORS, request ids, the log. It computes no call."""
