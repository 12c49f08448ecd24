"""Labelled positions: every move of a position solved, for whoever learns an evaluation from them."""
