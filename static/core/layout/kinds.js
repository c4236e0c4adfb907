/** Who owns an address, as a code for typed arrays. */
export const ELEMENT = 0;
export const SHARED = 1;
export const PADDING = 2;
export const GAP = 3;
export const OUTSIDE = 4;
export const UNDETERMINED = 5;
/** No owner, but an element of the memory that a view leaves out. */
export const UNVIEWED = 6;

/** Codes by the names of the contract. */
export const KIND_CODES = Object.freeze({
  element: ELEMENT,
  shared: SHARED,
  padding: PADDING,
  gap: GAP,
  outside: OUTSIDE,
  undetermined: UNDETERMINED,
});
