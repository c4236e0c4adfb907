/** @typedef {import('../types.js').Swizzle} Swizzle */
/** @typedef {import('../types.js').Tensor} Tensor */
/** @typedef {import('../types.js').Term} Term */
/** @typedef {import('../types.js').Explanation} Explanation */
import { digitOf } from './digits.js';
import { maskOf } from './swizzle.js';

/**
 * @param {string} name
 * @param {number} weight coordinate units per digit unit
 * @param {number} extent
 * @param {boolean} outermost
 * @returns {string}
 */
function symbolOf(name, weight, extent, outermost) {
  const quotient = weight === 1 ? name : `⌊${name}/${weight}⌋`;
  if (outermost) return quotient;
  return `(${quotient} mod ${extent})`;
}

/**
 * @param {number} offset
 * @param {readonly {factor: string, stride: number}[]} products
 * @returns {string}
 */
function sumOf(offset, products) {
  let text = offset !== 0 ? String(offset) : '';
  for (const { factor, stride } of products) {
    const sign = stride < 0 ? '−' : '+';
    const product = `${factor}·${Math.abs(stride)}`;
    if (text !== '') text += ` ${sign} ${product}`;
    else text = stride < 0 ? `−${product}` : product;
  }
  return text === '' ? '0' : text;
}

/**
 * The right side of a swizzle's XOR, written as in C: the bits that it reads, shifted.
 * @param {Swizzle} swizzle
 * @param {string} sum name or value of the address before the swizzle
 * @returns {string}
 */
export function movedOf(swizzle, sum) {
  const arrow = swizzle.shift < 0 ? '<<' : '>>';
  return `((${sum} & 0b${maskOf(swizzle).toString(2)}) ${arrow} ${Math.abs(swizzle.shift)})`;
}

/**
 * How an address comes about: the sum and the XOR over it, in symbols and in numbers.
 * @param {Tensor} tensor
 * @param {readonly number[]} coords
 * @returns {Explanation} text: `n·576 + ⌊c/4⌋·36 + … = 1·576 + 3·36 + … = 698`
 */
export function explainAddress(tensor, coords) {
  const terms = tensor.digits.map((digits, dim) => {
    const name = tensor.dims[dim].toLowerCase();
    const index = coords[dim];
    return Object.freeze({
      dim: tensor.dims[dim],
      index,
      digits: Object.freeze(
        digits.map((placed, at) => {
          const { extent, stride, weight } = placed;
          const digit = digitOf(placed, index);
          const symbol = symbolOf(name, weight, extent, at === 0);
          return Object.freeze({ digit, stride, product: digit * stride, symbol });
        }),
      ),
    });
  });
  const digits = terms.flatMap((term) => term.digits);
  const sum = digits.reduce((total, { product }) => total + product, tensor.offset);
  const address = tensor.addressOf(coords);
  const symbols = sumOf(
    tensor.offset,
    digits.map(({ symbol, stride }) => ({ factor: symbol, stride })),
  );
  const figures = sumOf(
    tensor.offset,
    digits.map(({ digit, stride }) => ({ factor: String(digit), stride })),
  );
  const { swizzle } = tensor;
  let [formula, numbers] = [symbols, figures];
  if (swizzle !== null) {
    const moved = Number(BigInt(sum) ^ BigInt(address));
    formula = `(s = ${symbols}) ^ ${movedOf(swizzle, 's')}`;
    numbers = `(${figures}) ^ ${movedOf(swizzle, String(sum))} = ${sum} ^ ${moved}`;
  }
  return Object.freeze({
    terms: Object.freeze(terms),
    offset: tensor.offset,
    sum,
    address,
    formula,
    numbers,
    text: `${formula} = ${numbers} = ${address}`,
  });
}
