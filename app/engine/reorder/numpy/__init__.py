"""The backend that uses NumPy alone."""
