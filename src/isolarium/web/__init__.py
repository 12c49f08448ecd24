"""The web server: a JSON API over HTTP and WebSocket, and the pages that use it."""
