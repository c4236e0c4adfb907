"""The pages: HTML, static files and the security headers."""
