"""Nibbles, two to a byte, one by one: what reorders of 4-bit elements are compared with."""

import numpy as np
import numpy.typing as npt


def unpack_nibbles(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return one uint8 per nibble, 0 to 15, low nibble first: shape (2n,) from (n,)."""
    nibbles = np.empty(2 * len(packed), dtype=np.uint8)
    np.bitwise_and(packed, 0xF, out=nibbles[0::2])
    np.right_shift(packed, 4, out=nibbles[1::2])
    return nibbles


def pack_nibbles(nibbles: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Pack two nibbles to a byte, low nibble first.

    For an odd number of nibbles, the last high nibble is zero.
    """
    packed = np.zeros(-(-len(nibbles) // 2), dtype=np.uint8)
    np.bitwise_and(nibbles[0::2], 0xF, out=packed)
    packed[: len(nibbles) // 2] |= nibbles[1::2] << 4
    return packed
