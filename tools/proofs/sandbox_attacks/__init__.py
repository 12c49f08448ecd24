"""Every attack on the sandbox that was thought of, tried; `python -m tools.proofs.sandbox_attacks` says how."""
