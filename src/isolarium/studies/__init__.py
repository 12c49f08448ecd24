"""Studies: experiments written down whole, each in one TOML file, and what they found."""
