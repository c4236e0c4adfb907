/**
 * How two grids share a height: so that the product of their cell sizes is the largest. Cells larger
 * than `most_css` count as `most_css`, and cells too small to see count as equally small.
 *
 * @param {number} height_css of both together
 * @param {(height_css: number) => number} upper cell size of the upper grid, by its height
 * @param {(height_css: number) => number} lower cell size of the lower grid, by its height
 * @param {number} most_css
 * @returns {number} the upper grid's part of the height
 */
export function fairShare(height_css, upper, lower, most_css) {
  /** @param {number} cell_css */
  const gain = (cell_css) => Math.log(Math.min(Math.max(cell_css, LEAST_CELL_CSS), most_css));
  let best = USUAL;
  let most = gain(upper(USUAL * height_css)) + gain(lower((1 - USUAL) * height_css)) + WORTH_A_MOVE;
  for (let share = LEAST; share <= MOST; share += STEP) {
    const sum = gain(upper(share * height_css)) + gain(lower((1 - share) * height_css));
    if (sum <= most) continue;
    best = share;
    most = sum;
  }
  return best;
}

const USUAL = 0.45;
const LEAST = 0.3;
const MOST = 0.62;
const STEP = 0.02;
const WORTH_A_MOVE = 0.02;
const LEAST_CELL_CSS = 4;
