import { registersOf } from '../../core/schedule/registers.js';
import { drawRegisters, registersSize } from '../../draw/reorder/registers.js';
import { INTERLEAVING, registersText } from '../../words/reorder.js';
import { createFrame, fixCanvas, watchSize } from '../shared/frame.js';
import { find, ReorderPart } from '../shared/part.js';
import { paintersOf } from '../shared/reorder/painters.js';

/** The registers of the tile that holds the present unit, where the plan transposes. */
customElements.define('reorder-registers', class ReorderRegisters extends ReorderPart {
  /** @type {unknown[]} */
  #drawn = [];

  /** @override */
  start() {
    const frame = createFrame(() => this.#draw(), this.signal);
    this.when(['plan', 'step'], frame);
    this.session.fields.on('theme', frame, this.signal);
    watchSize([this], frame, this.signal);
  }

  #draw() {
    const { ready, moment, fields } = this.session;
    const painters = paintersOf(this.session);
    const step = ready && ready.schedule.steps > 0 ? ready.schedule.stepAt(moment.step) : null;
    const registers = ready && step ? registersOf(ready.schedule.moves[step.move], step) : null;
    find(this, '.none', HTMLElement).hidden = registers !== null || step === null;
    const figure = find(this, 'figure', HTMLElement);
    figure.hidden = registers === null;
    if (!ready || !step || !registers || !painters) return;
    const canvas = find(this, 'canvas', HTMLCanvasElement);
    const pixelRatio = window.devicePixelRatio;
    const size = registersSize(registers, figure.clientWidth);
    const parts = [ready, step.step, fields.theme, pixelRatio, size.width_css];
    if (parts.every((part, at) => part === this.#drawn[at])) return;
    this.#drawn = parts;
    fixCanvas(canvas, { width_css: size.width_css + 2 / pixelRatio, height_css: size.height_css + 2 / pixelRatio });
    const context = canvas.getContext('2d');
    if (!context) return;
    const { b } = ready.tensors;
    const textOf = painters.b.textOf('auto', null);
    drawRegisters(context, registers, {
      width_css: size.width_css,
      theme: fields.theme,
      pixelRatio,
      target: step.target_address,
      colourOf: ({ source, target }) => {
        const { coords } = source === null ? { coords: null } : b.ownerOf(target);
        return coords && { ...painters.b.cell(coords), text: textOf(coords) };
      },
    });
    const text = registersText(registers);
    canvas.setAttribute('aria-label', text);
    this.say('figcaption', registers.stages[0].length === 3 ? text : `${text} ${INTERLEAVING}`);
  }
});
