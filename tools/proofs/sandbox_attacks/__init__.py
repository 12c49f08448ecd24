"""All known attacks on the sandbox: `python -m tools.proofs.sandbox_attacks`."""
