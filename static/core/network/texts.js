const UNITS = Object.freeze(['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']);

/**
 * Bytes in three digits: "1.61 MB". A kB has 1,000 bytes.
 * @param {number} bytes
 * @returns {string}
 */
export function bytesText(bytes) {
  if (bytes === 1) return '1 byte';
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  if (unit === 0) return `${Math.round(bytes)} bytes`;
  return `${Number(value.toPrecision(3))} ${UNITS[unit]}`;
}

/**
 * @param {readonly (number | string)[] | null | undefined} shape
 * @returns {string} such as 1×64×56×56
 */
export function shapeText(shape) {
  if (!shape) return 'shape not known';
  return shape.length === 0 ? 'scalar' : shape.join('×');
}

/**
 * A text cut to a number of characters.
 * @param {string} text
 * @param {number} most
 */
export function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
