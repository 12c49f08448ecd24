"""Studies: experiments described completely in one TOML file each, and their results."""
