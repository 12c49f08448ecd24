"""Training of the weights of `learned` (docs/how-to/train.md). PyTorch is needed only here."""
