/** @import { Integer } from '../api/types.js' */

/**
 * Sizes and strides in one line: "(2,3):(3,1) + 4". A dimension with blocks has its parts in brackets of
 * its own, as in CuTe: "(2,(2,4)):(8,(4,1))".
 * @param {{shape: readonly Integer[], offset: Integer, strides: readonly Integer[] | null,
 *   digits: readonly (readonly {extent: Integer, stride: Integer}[])[]}} layout
 * @returns {string}
 */
export function resultText({ shape, offset, strides, digits }) {
  const parts = digits.map((list, dim) => {
    if (strides) return { size: String(shape[dim]), stride: String(strides[dim]) };
    if (list.length === 1) return { size: String(list[0].extent), stride: String(list[0].stride) };
    return {
      size: `(${list.map(({ extent }) => extent).join(',')})`,
      stride: `(${list.map(({ stride }) => stride).join(',')})`,
    };
  });
  const sizes = parts.map(({ size }) => size).join(',');
  const steps = parts.map(({ stride }) => stride).join(',');
  return `(${sizes}):(${steps})${Number(offset) === 0 ? '' : ` + ${offset}`}`;
}
