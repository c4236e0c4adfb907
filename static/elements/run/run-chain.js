import { WHOLE } from '../../core/network/box-texts.js';
import { KINDS } from '../../core/network/kinds.js';
import { drawSample, drawScene, shape } from '../../draw/network/picture.js';
import { KIND_WORDS } from '../../words/network.js';
import { fileName } from '../shared/files/save.js';
import { sceneOfRun } from '../shared/run/scene.js';
import { offerSaves } from '../shared/network/save.js';
import { around, find, make, RunPart } from '../shared/part.js';

/** The share of the screen's height that the drawing should have, and the room around it. */
const MOST_SHARE = 0.5;
const BORDER = 13;
/** Where the boxes have room for letters of 11 pixels. */
const LEAST = 0.8;

/** What ran as a drawing: who read what whom wrote. Each tensor leads to its memory, each event to its row below. */
customElements.define('run-chain', class RunChainPart extends RunPart {
  /** @type {import('../../core/network/types.js').Scene | null} */
  #scene = null;

  /** @override */
  start() {
    const { session } = this;
    this.when(['answer', 'finding'], () => {
      this.#draw();
      this.#reveal();
    });
    const drawn = () => this.#scene && { scene: this.#scene, svg: find(this, '.window > svg', SVGSVGElement), name: fileName(session.name) || 'run' };
    offerSaves(this, drawn);
    this.listen(find(this, '.window', HTMLElement), 'click', (event) => {
      const at = around(event, '.box')?.getAttribute('data-event');
      if (at) document.querySelector(`run-events tr[data-event="${at}"]`)?.scrollIntoView({ block: 'center' });
    });
  }

  #draw() {
    const { answer, finding } = this.session;
    // Of what ran inside an operator, the operator is drawn.
    const framed = new Set(finding?.events.map((at) => answer?.events[at]?.within ?? at));
    const scene = answer && sceneOfRun(answer, framed);
    this.#scene = null;
    this.hidden = !scene;
    if (!answer || !scene) return;
    const svg = shape('svg', { 'aria-hidden': 'true' });
    const drawn = drawScene(scene);
    svg.append(drawn);
    svg.style.setProperty('--scale', String(LEAST));
    for (const [at, box] of [...svg.querySelectorAll('.box')].entries()) box.setAttribute('data-event', String(scene.boxes[at].first));
    find(this, '.window', HTMLElement).replaceChildren(svg);
    // A label beside the last line may end behind the boxes.
    const { x, width: reached } = drawn.getBBox();
    const [width, height] = [Math.max(scene.width, Math.ceil(x + reached)), scene.height];
    // As small as letters allow, if all of it can then be seen at once.
    const room = MOST_SHARE * window.innerHeight - 2 * BORDER;
    const scale = Math.max(LEAST, Math.min(1, room / height));
    svg.style.setProperty('--scale', String(scale));
    svg.classList.toggle('close', scale >= WHOLE);
    const sizes = { width: width * scale, height: height * scale, viewBox: `0 0 ${width} ${height}` };
    for (const [name, value] of Object.entries(sizes)) svg.setAttribute(name, String(value));
    this.#scene = { ...scene, width };
    const left = answer.chain?.left_out ?? 0;
    const once = answer.period ? 'the last repetition' : 'this run';
    this.say('.about', `${scene.boxes.length} events of ${once}${left > 0 ? `, ${left} more are in the table alone` : ''}`);
    const kinds = KINDS.filter((kind) => scene.lines.some((line) => line.kind === kind));
    find(this, '.legend', HTMLElement).replaceChildren(...kinds.map((kind) => make('li', {}, [drawSample(kind), make('span', {}, [kind === 'unknown' ? 'not known, or one of several candidates' : KIND_WORDS[kind]])])));
  }

  #reveal() {
    const area = find(this, '.window', HTMLElement);
    const box = area.querySelector('.box.changed') ?? area.querySelector('.box');
    if (!box) return;
    const [inner, outer] = [box.getBoundingClientRect(), area.getBoundingClientRect()];
    area.scrollBy({ left: inner.left - outer.left - (outer.width - inner.width) / 2, top: inner.top - outer.top - (outer.height - inner.height) / 2 });
  }
});
