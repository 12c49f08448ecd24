"""How the weights of `learned` are made (docs/how-to/train.md). PyTorch is needed here and nowhere else."""
