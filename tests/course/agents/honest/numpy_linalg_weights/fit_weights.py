"""Run once: python fit_weights.py. Ordinary least squares on positions that I scored by hand."""

import numpy as np

X = np.array([[2.0, 3, 5], [1, 1, 0], [-1, -2, -6], [4, 9, 20], [0, 1, 4]])
y = np.array([19.0, 6, -16, 63, 8])

if __name__ == "__main__":
    solution = np.linalg.lstsq(X, y, rcond=None)[0]
    np.save("weights.npy", np.round(solution))
    print(np.round(solution))
