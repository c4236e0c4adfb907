/** @typedef {'line' | 'page' | 'sector' | 'bank'} UnitName */

/**
 * @typedef {object} Unit what memory moves or serves together
 * @property {UnitName} name
 * @property {number} bytes of one unit; of a bank: of one word
 * @property {number} banks that take the words in turn; 0 for what is no bank
 * @property {number} of addresses of one unit, where it has a whole number of them; else 0
 * @property {(address: number) => number} placeOf the unit of an address, counted from 0; of a bank: its word
 * @property {(address: number) => number} indexOf the unit of an address, exact below 2^53; of a bank: 0 to banks-1
 * @property {(address: number) => boolean} begins whether another unit begins at an address; of banks: the first one
 */

/** The values of the choice of colours that colour by address. @type {Readonly<Record<string, UnitName>>} */
export const UNIT_COLOURS = Object.freeze({ '@line': 'line', '@page': 'page', '@sector': 'sector', '@bank': 'bank' });
export const SECTOR_BYTES = 32;
export const BANKS = 32;
export const BANK_BYTES = 4;

/**
 * The unit of a colour, as the engine's /cost counts it: the buffer begins at byte 0, and an element belongs
 * to the unit where its first bit lies.
 * @param {string} colour
 * @param {{line_bytes: number, page_bytes: number, itemsize_bits: number}} sizes
 * @returns {Readonly<Unit> | null} null for a colour that does not follow the address
 */
export function unitOf(colour, { line_bytes, page_bytes, itemsize_bits }) {
  if (!Object.hasOwn(UNIT_COLOURS, colour)) return null;
  const name = UNIT_COLOURS[colour];
  const bytes = { line: line_bytes, page: page_bytes, sector: SECTOR_BYTES, bank: BANK_BYTES }[name];
  const banks = name === 'bank' ? BANKS : 0;
  // Bits of whole bytes by bits of a power of two: the quotient of two integers below 2^53.
  const width_bits = bytes * 8;
  const common = gcd(width_bits, itemsize_bits);
  const [per, of] = [itemsize_bits / common, width_bits / common];
  /** @param {number} address */
  const placeOf = (address) => (per === 1 ? Math.floor(address / of) : Math.floor(address / of) * per + Math.floor(((address % of) * per) / of));
  const indexOf = banks === 0 ? placeOf : (/** @type {number} */ address) => placeOf(address) % banks;
  /** @param {number} address */
  function begins(address) {
    const place = placeOf(address);
    const first = address === 0 || place !== placeOf(address - 1);
    return first && (banks === 0 || place % banks === 0);
  }
  return Object.freeze({ name, bytes, banks, of: per === 1 ? of : 0, placeOf, indexOf, begins });
}

/** @param {number} a @param {number} b @returns {number} */
function gcd(a, b) {
  return b === 0 ? a : gcd(b, a % b);
}
