"""Our processes and those of third-party code: how they start, communicate, are restricted and end."""
