import { PICTURE_MEMORIES, smallPicture } from '../../core/files/three-memories.js';
import { arrangeMemories, drawThreeMemories } from '../../draw/three-memories.js';
import { saveAs } from '../shared/files/save.js';
import { createFrame, sizeCanvas, watchSize } from '../shared/frame.js';
import { around, ExplorerPart, find, make } from '../shared/part.js';

/** @import { SmallPicture } from '../../core/files/three-memories.js' */

/** With more pixels, stripes could no longer be told apart in a third of the window. */
const MOST_SIDE = 48;
const SAVED_WIDTH_CSS = 1000;
const SAVED_RATIO = 2;
const FILE_NAME = 'planes-stripes-combs.png';

/** The loaded picture as planes, stripes and combs, in place of the grids. */
customElements.define('three-memories', class ThreeMemories extends ExplorerPart {
  /** @type {{of: unknown, picture: SmallPicture} | null} */
  #kept = null;

  /** @override */
  start() {
    const frame = createFrame(() => this.#draw(), this.signal);
    watchSize([this], frame, this.signal);
    this.follow(['state', 'values', 'theme'], () => this.#show() && frame());
    this.listen(this, 'click', (event) => {
      const layout = around(event, '[data-layout]')?.dataset.layout;
      if (!layout) return;
      this.session.edit('a', { layout }, 'push');
      // The button is gone: the focus goes to what it opened, and on a phone the title stays in view.
      find(document, 'memory-view canvas', HTMLCanvasElement).focus({ preventScroll: true });
      scrollTo({ top: 0 });
    });
    this.press('.save', () => this.#save());
  }

  /** Shows a picture, if there is one, and says whether. */
  #show() {
    const picture = this.#pictureOf();
    this.hidden = picture === null;
    this.parentElement?.classList.toggle('pictured', picture !== null);
    find(document, '.skip', HTMLAnchorElement).setAttribute('href', picture ? '#stage' : '#grid-a');
    if (!picture) return false;
    const texts = PICTURE_MEMORIES.map(({ layout, face, formula }) => `${layout}, ${face}: address = ${formula(picture).numbers}`);
    const words = find(this, '.spoken', HTMLElement);
    if (words.textContent !== texts.join('')) words.replaceChildren(...texts.map((text) => make('li', {}, [text])));
    return true;
  }

  /** @returns {SmallPicture | null} null where the grids are shown */
  #pictureOf() {
    const { state, loaded } = this.session;
    if (state.show !== 'memories' || loaded?.values.role !== 'picture') return null;
    if (this.#kept?.of !== loaded) {
      const [, , height, width] = loaded.shape;
      this.#kept = { of: loaded, picture: smallPicture(loaded.values.data, width, height, MOST_SIDE) };
    }
    return this.#kept.picture;
  }

  #draw() {
    const picture = this.#pictureOf();
    const canvas = find(this, 'canvas', HTMLCanvasElement);
    const context = canvas.getContext('2d');
    const { clientWidth, clientHeight } = find(this, '.window', HTMLElement);
    if (!picture || !context || clientWidth === 0) return;
    const pixelRatio = window.devicePixelRatio;
    const arrangement = arrangeMemories(picture, clientWidth, clientHeight, pixelRatio);
    canvas.style.height = `${arrangement.height_css}px`;
    sizeCanvas(canvas, { width_css: clientWidth, height_css: arrangement.height_css });
    drawThreeMemories(context, picture, arrangement, this.session.theme, pixelRatio);
    canvas.dataset.memories = PICTURE_MEMORIES.map(({ layout }) => layout).join(' ');
  }

  async #save() {
    const picture = this.#pictureOf();
    if (!picture) return;
    const arrangement = arrangeMemories(picture, SAVED_WIDTH_CSS, Infinity, SAVED_RATIO);
    const canvas = new OffscreenCanvas(SAVED_WIDTH_CSS * SAVED_RATIO, Math.ceil(arrangement.height_css) * SAVED_RATIO);
    const context = canvas.getContext('2d');
    if (!context) return;
    drawThreeMemories(context, picture, arrangement, this.session.theme, SAVED_RATIO);
    saveAs(await canvas.convertToBlob({ type: 'image/png' }), FILE_NAME);
  }
});
