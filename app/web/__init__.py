"""The pages: HTML, static files and the headers that guard both."""
