"""Labelled positions: exact values of every move, to train evaluations on."""
