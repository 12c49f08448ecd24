"""How the weights of `learned` are made (docs/train.md). PyTorch is needed here and nowhere else."""
