"""What things take, on this machine; `make bench` runs them all."""
