"""The laboratory in a browser: a JSON API over HTTP and WebSocket, and the pages that use it."""
