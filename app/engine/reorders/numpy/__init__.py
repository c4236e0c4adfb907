"""The backend that NumPy alone carries out."""
