import { exactText } from './numbers.js';

/**
 * How many elements keep their address from A to B, in a sentence.
 * @param {{kept: number, elements: number, exact: boolean}} count
 * @returns {string}
 */
export function keptText({ kept, elements, exact }) {
  if (elements === 0) return 'No elements.';
  if (!exact) return `${shareText(kept / elements)} of ${exactText(elements)} elements keep their address (estimated from a sample).`;
  if (kept === elements) return elements === 1 ? 'The only element keeps its address.' : `All ${exactText(elements)} elements keep their address.`;
  if (kept === 0) return `None of ${exactText(elements)} elements keeps its address.`;
  const keep = kept === 1 ? 'keeps its address' : 'keep their address';
  return `${exactText(kept)} of ${exactText(elements)} elements ${keep}.`;
}

/** @param {number} share */
function shareText(share) {
  if (share < 0.001) return 'Fewer than 0.1 %';
  if (share > 0.999) return 'More than 99.9 %';
  return `About ${Number((share * 100).toPrecision(2))} %`;
}
