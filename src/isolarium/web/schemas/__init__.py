"""What the API says and is asked, page by page."""
