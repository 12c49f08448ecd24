"""Studies: experiments described in one TOML file each, and their results."""
