import { fittingStep } from '../../core/grid/zoom.js';
import { around, find } from './part.js';
import { sizesText } from '../../words/numbers.js';

/** @import { Part } from './part.js' */
/** @import { Stage } from './stage.js' */
/** @import { Viewport, ZoomStep } from '../../core/types.js' */

/**
 * The zoom of a grid: the buttons − and +, the choice of a step, which shows the present one, and Fit.
 * @param {Part<any>} view
 * @param {Stage} stage
 */
export function watchZoomButtons(view, stage) {
  const select = find(view, '.zoom select', HTMLSelectElement);
  view.listen(view, 'click', (event) => {
    const step = around(event, 'button[data-zoom]')?.dataset.zoom;
    if (step === 'in' || step === 'out') stage.zoom(step);
    if (step === 'fit' && stage.zoomed) stage.zoom(fittingStep(stage.zoomed.steps));
  });
  view.listen(select, 'change', () => {
    stage.zoom(stepOf(select));
    stage.redraw();
  });
  stage.told.push(() => {
    const { zoomed, viewport } = stage;
    if (!zoomed || !viewport) return;
    for (const option of select.options) option.disabled = zoomed.steps[stepOf(option)] === null;
    if (select.value !== zoomed.step) select.value = zoomed.step;
    const size = sizeText(viewport);
    if (select.title !== size) select.title = size;
  });
}

/** @param {{value: string}} option one of the template's, each of which is a step */
function stepOf({ value }) {
  return /** @type {ZoomStep} */ (value);
}

/** @param {Viewport} viewport */
function sizeText({ cell_css }) {
  if (cell_css >= 1) return `${Math.round(cell_css)} pixels a cell`;
  return `${sizesText([Math.round(1 / cell_css), Math.round(1 / cell_css)])} cells a pixel`;
}
