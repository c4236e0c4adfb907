"""What stands around the routes: kept answers, compression, CORS, request ids, logs."""
