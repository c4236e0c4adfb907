import { WHOLE } from '../../core/network/box-texts.js';
import { KINDS } from '../../core/network/kinds.js';
import { centred } from '../../core/network/overview.js';
import { begun, FAR, FARTHEST, fitted, kept, near, panned, showing, spread, zoomed } from '../../core/network/viewport.js';
import { drawSample, drawScene, shape } from '../../draw/network/picture.js';
import { boxOfName, nameOfBox, toggleFold } from '../../state/network/chosen.js';
import { ends, neighbour } from '../../state/network/scene.js';
import { boxText, KIND_WORDS, LOST_WORDS } from '../../words/network.js';
import { counted } from '../../words/numbers.js';
import { createFrame, watchSize } from '../shared/frame.js';
import { watchGestures } from '../shared/pointer/gestures.js';
import { find, make, NetworkPart } from '../shared/part.js';
import { Overview } from '../shared/network/overview.js';
import { offerSaves } from '../shared/network/save.js';

/** @import { NetworkSession } from '../../state/network/session.js' */
/** @import { Scene, Box } from '../../core/network/types.js' */
/** @import { View } from '../../core/network/viewport.js' */

const STEP = 1.3;

/** The network as a drawing that is panned and zoomed, and walked through by keys. */
customElements.define('network-graph', class NetworkGraph extends NetworkPart {
  /** @type {View | null} */
  #view = null;
  /** @type {Scene | null} */
  #scene = null;
  /** @type {import('../../api/networks/types.js').GraphJson | null} */
  #graph = null;
  #svg = shape('svg', { 'aria-hidden': 'true' });
  /** Moves the drawing in the next frame. */
  #frame = () => {};
  /** Whether the reader has moved the drawing: it then stays where it is. */
  #moved = false;
  /** The name that is chosen: another one is moved into the window, unless it was pressed there. */
  #chosen = '';
  /** The chosen name that the page was scrolled to: the facts of it lie over the drawing on a phone. */
  #uncovered = '';
  /** @type {Overview | null} */
  #overview = null;

  /** @override */
  start() {
    const area = this.#window;
    this.#frame = createFrame(() => this.#apply(), this.signal);
    area.replaceChildren(this.#svg);
    this.#overview = new Overview(this, (point) => this.#centre(point), this.signal);
    this.#chosen = this.session.state.at;
    this.when('marks', () => this.#mark());
    this.when('answer', () => this.#draw());
    this.when('state', () => this.#choose());
    this.when('busy', () => area.setAttribute('aria-busy', String(this.session.busy)));
    watchGestures(
      area,
      {
        hover: () => {},
        leave: () => {},
        press: (x, y) => this.#press(x, y),
        drag: (dx, dy) => {
          const y = this.#view?.y;
          this.#go(this.#view && { ...this.#view, x: this.#view.x + dx, y: this.#view.y + dy });
          return this.#view?.y !== y;
        },
        zoom: (factor, x, y) => this.#go(this.#view && zoomed(this.#view, factor, x, y)),
      },
      this.signal,
    );
    this.listen(area, 'keydown', (event) => this.#key(event));
    for (const button of this.querySelectorAll('[data-zoom]')) {
      this.listen(button, 'click', () => this.#zoom(button.getAttribute('data-zoom') ?? ''));
    }
    watchSize([area], () => this.#fit(false), this.signal);
    offerSaves(this, () => {
      const { state: { preset, show, rules }, file } = this.session;
      const name = `${(preset || file || 'network').replace(/\.\w+$/, '')}-${show === 'plan' ? 'plan' : rules}`;
      return this.#scene && { scene: this.#scene, svg: this.#svg, name };
    });
  }

  get #window() {
    return find(this, '.window', HTMLElement);
  }

  get #size() {
    const { clientWidth: width, clientHeight: height } = this.#window;
    return { width, height };
  }

  #draw() {
    const { answer } = this.session;
    if (!answer) return;
    const { scene, undrawable, graph } = answer;
    const notice = find(this, '.notice', HTMLElement);
    notice.hidden = undrawable === '';
    notice.textContent = undrawable === '' ? '' : `The network is not drawn. ${undrawable} The table shows all of it.`;
    const operators = counted(graph.nodes.length, 'operator');
    this.say('.about', operators);
    this.#window.setAttribute('aria-label', `Network of ${operators}`);
    const before = this.#scene;
    this.#scene = scene && spread(scene, this.#size);
    const same = this.#graph === graph && before && this.#scene && near(before, this.#scene);
    this.#graph = graph;
    this.#svg.replaceChildren(...(this.#scene ? [drawScene(this.#scene)] : []));
    this.#overview?.draw(this.#scene);
    find(this, '.saves', HTMLElement).hidden = scene === null;
    this.#legend(answer);
    if (!same) this.#fit(true);
    this.#choose();
    this.#mark();
    this.#frame();
  }

  /** Frames what was searched for, and the reorders of picked tensors. */
  #mark() {
    const { answer, found, picked } = this.session;
    for (const each of this.#svg.querySelectorAll('.found, .picked')) each.classList.remove('found', 'picked');
    for (const at of new Set(found.map((name) => boxOfName(answer, name)?.at))) this.#svg.querySelector(`[data-at="${at}"]`)?.classList.add('found');
    // Of reorders inside a folded block, the block is framed.
    for (const { readers } of answer?.assignment.copies.filter(({ tensor }) => picked.has(tensor)) ?? []) {
      const folds = readers.map((name) => boxOfName(answer, name)).filter((box) => box?.kind === 'fold');
      for (const box of folds) this.#svg.querySelector(`[data-at="${box?.at}"]`)?.classList.add('picked');
    }
    for (const each of this.#svg.querySelectorAll('a.line, .box.reorder')) {
      const name = each.getAttribute(each.matches('a') ? 'data-tensor' : 'data-name') ?? '';
      if (picked.has(name)) each.classList.add('picked');
    }
  }

  /** @param {NonNullable<NetworkSession['answer']>} answer */
  #legend({ scene, assignment }) {
    const present = KINDS.filter((kind) => scene?.lines.some((line) => line.kind === kind));
    const items = present.map((kind) => make('li', {}, [drawSample(kind), make('span', {}, [KIND_WORDS[kind]])]));
    const signs = [
      ...(assignment.copies.length > 0 ? [make('li', {}, [make('span', { class: 'pill', 'aria-hidden': 'true' }), 'reorder'])] : []),
      ...(scene?.boxes.some(({ moves }) => moves) ? [make('li', {}, [make('span', { class: 'pill square', 'aria-hidden': 'true' }), 'reorders inside'])] : []),
      ...(scene?.boxes.some(({ lost }) => lost) ? [make('li', {}, [make('b', { class: 'cross' }, ['✕']), LOST_WORDS])] : []),
      ...(scene?.boxes.some(({ kind }) => kind === 'fold') ? [make('li', {}, [make('b', {}, ['×n']), 'repeated block'])] : []),
    ];
    find(this, '.legend', HTMLElement).replaceChildren(...items, ...signs);
  }

  /** @param {boolean} always also where the reader has moved the drawing */
  #fit(always) {
    if (!this.#scene) return;
    this.#moved &&= !always;
    const chosen = this.#scene.boxes[boxOfName(this.session.answer, this.session.state.at)?.at ?? -1];
    const opened = begun(this.#scene, this.#scene.boxes[0], this.#size);
    const part = chosen && opened.scale !== fitted(this.#scene, this.#size).scale;
    this.#move(this.#moved ? this.#view : part ? showing(opened, chosen, this.#size) : opened);
  }

  /**
   * Shows what the reader asks for.
   * @param {View | null} view
   */
  #go(view) {
    this.#moved = true;
    return this.#move(view);
  }

  /** @param {{x: number, y: number}} point of the drawing that was pressed in its map: keys zoom there next */
  #centre(point) {
    this.#window.focus({ preventScroll: true });
    this.#go(this.#view && centred(this.#view, point, this.#size));
  }

  /**
   * @param {View | null} view
   * @returns {boolean} whether it changed the view
   */
  #move(view) {
    if (!view || !this.#scene) return false;
    this.#view = kept(view, this.#scene, this.#size);
    this.#frame();
    return true;
  }

  #apply() {
    const drawn = this.#svg.firstElementChild;
    if (!drawn || !this.#view || !this.#scene) return;
    const { scale, x, y } = this.#view;
    drawn.setAttribute('transform', `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale.toFixed(4)})`);
    this.#svg.style.setProperty('--scale', scale.toFixed(3));
    this.#svg.classList.toggle('close', scale >= WHOLE);
    this.#svg.classList.toggle('far', scale < FAR);
    this.#svg.classList.toggle('farthest', scale < FARTHEST);
    this.#window.classList.toggle('panned', panned(this.#view, this.#scene, this.#scene.boxes[0], this.#size));
    this.#window.dataset.scale = scale.toFixed(3);
    this.#overview?.show(this.#view, this.#size);
    if (this.#uncovered !== this.#chosen) this.#svg.querySelector('.box.chosen')?.scrollIntoView({ block: 'nearest' });
    this.#uncovered = this.#chosen;
  }

  /** @param {string} how */
  #zoom(how) {
    const { width, height } = this.#size;
    if (how === 'fit' && this.#scene) this.#go(fitted(this.#scene, this.#size));
    else if (this.#view) this.#go(zoomed(this.#view, how === 'in' ? STEP : 1 / STEP, width / 2, height / 2));
  }

  #choose() {
    const { state, answer } = this.session;
    const box = this.#scene?.boxes[boxOfName(answer, state.at)?.at ?? -1];
    const moved = this.#chosen !== state.at;
    this.#chosen = state.at;
    this.#frame();
    for (const each of this.#svg.querySelectorAll('.chosen')) each.classList.remove('chosen');
    if (!box) return;
    this.#svg.querySelector(`[data-at="${box.at}"]`)?.classList.add('chosen');
    for (const [at, link] of [...this.#svg.querySelectorAll('a.line')].entries()) {
      const { source, target } = this.#scene?.lines[at] ?? {};
      if (source === box.at || target === box.at) link.classList.add('chosen');
    }
    if (this.#view && moved) this.#go(showing(this.#view, box, this.#size));
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  #press(x, y) {
    this.#window.focus({ preventScroll: true });
    const corner = this.#window.getBoundingClientRect();
    const hit = document.elementFromPoint(corner.left + x, corner.top + y);
    const { lines = [], boxes = [] } = this.#scene ?? {};
    const line = lines[Number(hit?.closest('a')?.getAttribute('data-line') ?? -1)];
    if (line && !this.session.narrow) {
      if (line.href) location.assign(line.href);
      return;
    }
    // A finger meets a line easily: it chooses its reorder, or who reads it, whose facts have the link.
    const met = line && (boxes[line.source].kind === 'reorder' ? line.source : line.target);
    const box = boxes[met ?? Number(hit?.closest('.box')?.getAttribute('data-at') ?? -1)];
    const name = box ? nameOfBox(box) : '';
    if (!line && box?.kind === 'fold' && name === this.session.state.at) return toggleFold(this.session, name);
    this.#chosen = name;
    this.session.change({ at: name }, 'replace');
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#scene) return;
    /** @type {Record<string, 'down' | 'up' | 'left' | 'right'>} */
    const ways = { ArrowDown: 'down', ArrowUp: 'up', ArrowLeft: 'left', ArrowRight: 'right' };
    /** @type {Record<string, string>} */
    const zooms = { '+': 'in', '=': 'in', '-': 'out', 0: 'fit' };
    const { boxes } = this.#scene;
    const chosen = boxOfName(this.session.answer, this.session.state.at);
    if (event.key in zooms) this.#zoom(zooms[event.key]);
    else if (event.key in ways) {
      const next = chosen ? neighbour(this.#scene, chosen, ways[event.key]) : ends(boxes).first;
      if (next) this.#walk(next);
    } else if (event.key === 'Home' || event.key === 'End') {
      this.#walk(event.key === 'Home' ? ends(boxes).first : ends(boxes).last);
    } else if (event.key === 'Enter' && chosen?.foldable) toggleFold(this.session, chosen.name);
    else return;
    event.preventDefault();
  }

  /** Chooses a box by keys, and says it. @param {Box} box */
  #walk(box) {
    this.session.change({ at: nameOfBox(box) }, 'replace');
    const node = box.kind === 'node' ? (this.session.answer?.found.nodes[box.first] ?? null) : null;
    const leaving = this.#scene?.lines.filter(({ source }) => source === box.at).map(({ label }) => label);
    this.say('#network-now', boxText(box, node, [...new Set(leaving)]));
  }
});
