/**
 * How many planes of a logical tensor stand in a row: those of one image where they fit, or else whole blocks of them; a
 * block that does not fit is halved. Without blocks the rows of an image are about equally long.
 * @param {object} row
 * @param {number} row.planes of one image
 * @param {number} row.block planes of a block, 1 without blocks
 * @param {number} row.fit planes for which there is room, at least 1
 */
export function planesInRow({ planes, block, fit }) {
  if (planes <= fit) return planes;
  if (block === 1) return Math.ceil(planes / Math.ceil(planes / fit));
  let part = block;
  while (part > fit) part = Math.ceil(part / 2);
  return part < block ? part : fit - (fit % block);
}
