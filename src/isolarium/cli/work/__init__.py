"""What commands do that takes more than a few lines, and more than Python itself."""
