import { explainAddress, movedOf } from '../../../core/layout/explain.js';
import { exactText } from '../../../words/numbers.js';
import { make } from '../part.js';

/** @typedef {import('../../../core/types.js').Tensor} Tensor */
/** @typedef {import('../../../core/types.js').Explanation} Explanation */

/**
 * An address and the sum that leads to it, each value above its term.
 * @param {Tensor} tensor
 * @param {readonly number[]} coords
 * @param {string} [whose] what stands below the address
 */
export function sumParts(tensor, coords, whose = 'address') {
  const explanation = explainAddress(tensor, coords);
  return [
    piece('', make('b', { class: 'address' }, [exactText(explanation.address)]), whose),
    make('span', { class: 'steps' }, termParts(tensor, explanation)),
  ];
}

/**
 * @param {string} sign
 * @param {Node} value
 * @param {string} term that stands below its value
 * @param {string} [title] what it multiplies
 */
function piece(sign, value, term, title) {
  const signs = sign ? [make('span', { class: 'sign' }, [sign]), ' '] : [];
  return make('span', { class: 'piece' }, [...signs, value, ' ', make('small', { class: 'term', ...(title ? { title } : {}) }, [exactText(term)])]);
}

/**
 * The sum, and what a swizzle does to it.
 * @param {Tensor} tensor
 * @param {Explanation} explanation
 * @returns {(Node | string)[]} with spaces between them to break at
 */
function termParts({ swizzle }, { formulaParts, sum, address }) {
  const values = formulaParts.filter(({ value }) => value !== null);
  const terms = values.map(({ sign, value, text, factor, stride }, at) => {
    const before = at === 0 ? `=${swizzle ? ' (' : ''} ${sign}`.trim() : sign.trim();
    const number = make('b', {}, [exactText(value ?? 0)]);
    return factor ? piece(before, number, text, `${exactText(stride ?? 0)}: stride of ${factor}`) : piece(before, number, 'offset');
  });
  const moved = Number(BigInt(sum) ^ BigInt(address));
  const turn = swizzle
    ? [piece(')', make('b', {}), `s = ${sum}`), piece('^', make('b', {}, [exactText(moved)]), movedOf(swizzle, 's'))]
    : [];
  return [...terms, ...turn].flatMap((one) => [one, ' ']);
}
