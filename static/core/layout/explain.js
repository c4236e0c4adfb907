/** @import { Swizzle, Tensor, Explanation, ExplanationPart } from '../types.js' */
import { digitOf } from './digits.js';
import { maskOf } from './swizzle.js';

/**
 * @param {string} name
 * @param {number} weight coordinate units per digit unit
 * @param {number} extent
 * @param {boolean} outermost
 * @returns {string}
 */
export function symbolOf(name, weight, extent, outermost) {
  const quotient = weight === 1 ? name : `⌊${name}/${weight}⌋`;
  if (outermost) return quotient;
  return `(${quotient} mod ${extent})`;
}

/**
 * @param {number} offset
 * @param {readonly {factor: string, stride: number, dim: number, product: number}[]} products
 * @returns {ExplanationPart[]}
 */
function sumOf(offset, products) {
  /** @type {ExplanationPart[]} */
  const parts = offset !== 0 ? [{ sign: '', text: String(offset), dim: -1, value: offset }] : [];
  for (const { factor, stride, dim, product } of products) {
    const [first, next] = stride < 0 ? ['−', ' − '] : ['', ' + '];
    parts.push({ sign: parts.length === 0 ? first : next, text: `${factor}·${Math.abs(stride)}`, dim, value: Math.abs(product), factor, stride });
  }
  return parts.length === 0 ? [{ sign: '', text: '0', dim: -1, value: 0 }] : parts;
}

/** @param {readonly ExplanationPart[]} parts */
function textOf(parts) {
  return parts.map(({ sign, text }) => sign + text).join('');
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
  const digits = terms.flatMap((term, dim) => term.digits.map((digit) => ({ ...digit, dim })));
  const sum = digits.reduce((total, { product }) => total + product, tensor.offset);
  const address = tensor.addressOf(coords);
  const symbols = sumOf(
    tensor.offset,
    digits.map(({ symbol, stride, dim, product }) => ({ factor: symbol, stride, dim, product })),
  );
  const figures = sumOf(
    tensor.offset,
    digits.map(({ digit, stride, dim, product }) => ({ factor: String(digit), stride, dim, product })),
  );
  const { swizzle } = tensor;
  /** @type {readonly [ExplanationPart[], ExplanationPart[]]} */
  let [formulaParts, numberParts] = [symbols, figures];
  if (swizzle !== null) {
    const moved = Number(BigInt(sum) ^ BigInt(address));
    formulaParts = around('(s = ', symbols, `) ^ ${movedOf(swizzle, 's')}`);
    numberParts = around('(', figures, `) ^ ${movedOf(swizzle, String(sum))} = ${sum} ^ ${moved}`);
  }
  const [formula, numbers] = [textOf(formulaParts), textOf(numberParts)];
  return Object.freeze({
    terms: Object.freeze(terms),
    offset: tensor.offset,
    sum,
    address,
    formula,
    numbers,
    formulaParts: Object.freeze(formulaParts),
    numberParts: Object.freeze(numberParts),
    text: `${formula} = ${numbers} = ${address}`,
  });
}

/**
 * @param {string} before
 * @param {ExplanationPart[]} parts
 * @param {string} after
 * @returns {ExplanationPart[]}
 */
function around(before, parts, after) {
  return [{ sign: before, text: '', dim: -1, value: null }, ...parts, { sign: after, text: '', dim: -1, value: null }];
}
