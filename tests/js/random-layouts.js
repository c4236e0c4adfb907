/** @typedef {import('../../static/core/types.js').Digit} Digit */
/** @typedef {import('../../static/core/types.js').Swizzle} Swizzle */

/**
 * @typedef {object} PlainDescription a DescriptionJson whose integers are all numbers
 * @property {readonly number[]} shape
 * @property {string} dims
 * @property {readonly (readonly Digit[])[]} digits
 * @property {number} offset
 * @property {Swizzle | null} swizzle
 * @property {{elements: number}} buffer
 */

/**
 * The share of so many random examples that is tried: all where EXAMPLES=all says so, as in Python.
 * @param {number} most
 */
export const fewer = (most) => (process.env.EXAMPLES === 'all' ? most : Math.ceil(most / 5));

/**
 * Mulberry32: a seeded generator, so that a failing layout can be drawn again.
 * @param {number} seed
 * @returns {(below: number) => number} an integer from 0 on, below the bound
 */
export function seeded(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/**
 * Description of digits, with the least buffer that holds them (and `spare` more).
 * @param {readonly number[]} shape
 * @param {readonly (readonly Digit[])[]} digits
 * @param {number} offset
 * @param {number} [spare]
 * @returns {PlainDescription}
 */
export function describe(shape, digits, offset, spare = 0) {
  let most = offset;
  let least = offset;
  for (const { extent, stride } of digits.flat()) {
    if (stride > 0) most += (extent - 1) * stride;
    else least += (extent - 1) * stride;
  }
  const start = offset + Math.max(0, -least);
  const elements = shape.includes(0) ? spare : most + Math.max(0, -least) + 1 + spare;
  const dims = 'abcdefgh'.slice(0, shape.length);
  return { shape, dims, digits, offset: start, swizzle: null, buffer: { elements } };
}

/**
 * A random layout: a nest of digits in random order, then blocked, padded, broadcast, flipped,
 * spread or scrambled until it interleaves and overlaps.
 * @param {(below: number) => number} random
 */
export function randomLayout(random) {
  const rank = random(5);
  /** @type {{dim: number, extent: number}[]} */
  const order = [];
  const shape = [];
  for (let dim = 0; dim < rank; dim += 1) {
    const count = 1 + random(3);
    let padded = 1;
    for (let at = 0; at < count; at += 1) {
      const extent = 1 + random(4);
      padded *= extent;
      order.push({ dim, extent });
    }
    shape.push(random(3) === 0 && random(12) > 0 ? Math.max(1, padded - random(padded)) : padded);
  }
  if (rank > 0 && random(40) === 0) shape[random(rank)] = 0;
  const places = order.map((_, at) => at);
  for (let at = places.length - 1; at > 0; at -= 1) {
    const other = random(at + 1);
    [places[at], places[other]] = [places[other], places[at]];
  }
  const scrambled = random(4) === 0;
  const strides = new Array(order.length).fill(0);
  let reach = 1;
  for (const place of places) {
    const { extent } = order[place];
    let stride = scrambled ? random(9) : reach + (random(4) === 0 ? random(3) : 0);
    if (random(8) === 0) stride = 0;
    if (stride > 0) reach = Math.max(reach, stride * extent);
    strides[place] = random(6) === 0 ? -stride || 0 : stride;
  }
  const digits = shape.map((size, dim) =>
    order.flatMap(({ dim: owner, extent }, at) =>
      owner === dim ? [{ extent: size === 0 ? 0 : extent, stride: strides[at] }] : [],
    ),
  );
  return describe(shape, digits, random(4), random(5) === 0 ? random(6) : 0);
}

/**
 * The layout under a random swizzle, of either direction, with the least buffer that holds it.
 * @param {(below: number) => number} random
 * @param {PlainDescription} plain
 * @returns {PlainDescription}
 */
export function swizzledLayout(random, plain) {
  const bits = random(4);
  const shift = (bits + random(4)) * (random(3) === 0 ? -1 : 1);
  const swizzle = { bits, base: random(4), shift };
  let elements = 0;
  if (!plain.shape.includes(0)) {
    for (const coords of coordinatesOf(paddedShapeOf(plain))) {
      elements = Math.max(elements, addressByDefinition({ ...plain, swizzle }, coords) + 1);
    }
  }
  return { ...plain, swizzle, buffer: { elements: elements + (random(5) === 0 ? random(40) : 0) } };
}

/** @param {{digits: readonly (readonly Digit[])[]}} layout */
export function paddedShapeOf({ digits }) {
  return digits.map((dimDigits) => dimDigits.reduce((all, { extent }) => all * extent, 1));
}

/**
 * Every coordinate of a shape in row-major order.
 * @param {readonly number[]} shape
 * @returns {Generator<number[]>}
 */
export function* coordinatesOf(shape) {
  if (shape.includes(0)) return;
  const coords = shape.map(() => 0);
  for (;;) {
    yield [...coords];
    let dim = shape.length - 1;
    while (dim >= 0 && coords[dim] + 1 === shape[dim]) {
      coords[dim] = 0;
      dim -= 1;
    }
    if (dim < 0) return;
    coords[dim] += 1;
  }
}

/**
 * Address under a swizzle, bit by bit.
 * @param {Swizzle | null} swizzle
 * @param {number} address
 */
function swizzledByDefinition(swizzle, address) {
  if (swizzle === null) return address;
  const { bits, base, shift } = swizzle;
  const [read, written] = shift < 0 ? [base, base - shift] : [base + shift, base];
  let result = BigInt(address);
  for (let bit = 0; bit < bits; bit += 1) {
    if ((BigInt(address) >> BigInt(read + bit)) % 2n === 1n) result ^= 1n << BigInt(written + bit);
  }
  return Number(result);
}

/**
 * Address of a coordinate, by the definition: digits from the innermost outwards, then the swizzle.
 * @param {{digits: readonly (readonly Digit[])[], offset: number, swizzle?: Swizzle | null}} layout
 * @param {readonly number[]} coords
 * @returns {number}
 */
export function addressByDefinition({ digits, offset, swizzle = null }, coords) {
  let address = offset;
  digits.forEach((dimDigits, dim) => {
    let rest = coords[dim];
    for (const { extent, stride } of [...dimDigits].reverse()) {
      address += (rest % extent) * stride;
      rest = Math.floor(rest / extent);
    }
  });
  return swizzledByDefinition(swizzle, address);
}

/**
 * Owners of every address by enumeration of all coordinates, padded ones included.
 * @param {PlainDescription} layout
 */
export function ownersByEnumeration(layout) {
  /** @type {{kind: string, coords: number[] | null, count: number}[]} */
  const owners = Array.from({ length: layout.buffer.elements }, () => ({ kind: 'gap', coords: null, count: 0 }));
  for (const coords of coordinatesOf(paddedShapeOf(layout))) {
    const owner = owners[addressByDefinition(layout, coords)];
    if (owner === undefined) continue;
    if (coords.some((coordinate, dim) => coordinate >= layout.shape[dim])) {
      if (owner.kind === 'gap') Object.assign(owner, { kind: 'padding', coords });
    } else {
      if (owner.count === 0) owner.coords = coords;
      owner.count += 1;
      owner.kind = owner.count === 1 ? 'element' : 'shared';
    }
  }
  return owners;
}
