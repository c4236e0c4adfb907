import { movedTo, orderText, readOrder } from '../../core/walk/order.js';
import { walkerOf } from '../../state/walker.js';
import { orderProblem } from '../../words/walk.js';
import { hold } from '../shared/pointer/hold.js';
import { around, ExplorerPart, find, make } from '../shared/part.js';

const DRAG_SLACK_CSS = 4;

/** The loops of a walk as letters: dragged, moved by arrow keys, pressed in turn, or typed. */
customElements.define('loop-order', class LoopOrder extends ExplorerPart {
  /** @type {readonly number[]} as shown */
  #order = [];
  /** @type {readonly string[]} */
  #dims = [];

  /** @override */
  start() {
    const walker = walkerOf(this.session);
    const input = find(this, 'input', HTMLInputElement);
    this.listen(input, 'input', () => {
      const order = this.#read(input.value, this.#dims);
      if (order) walker.choose(orderText(order, this.#dims));
    });
    this.listen(input, 'blur', () => this.#fill());
    const loops = find(this, '.loops', HTMLElement);
    this.listen(loops, 'keydown', (event) => this.#key(event));
    this.listen(loops, 'pointerdown', (event) => this.#hold(event));
    this.listen(loops, 'click', (event) => {
      // A press by pointer ends in #hold; this one came from a key.
      const at = event.detail === 0 ? this.#placeOf(event.target) : -1;
      if (at >= 0) this.#move(at, this.#order.length - 1);
    });
    this.follow(['walk', 'answer'], () => this.#fill());
  }

  #fill() {
    const { walk } = walkerOf(this.session);
    const loops = walk?.order ?? null;
    const dims = walk?.tensor.dims ?? this.session.answers.a?.tensor?.dims ?? [];
    const text = this.session.state.walk?.order ?? '';
    const typed = walk === null && text !== '' && !text.startsWith('memory');
    this.hidden = !typed && (loops === null || loops.length < 2);
    const input = find(this, 'input', HTMLInputElement);
    if (this.hidden) return;
    if (typed) this.#read(text, dims);
    if (document.activeElement !== input) {
      input.value = loops ? orderText(loops, dims) : text;
      if (loops) this.#say('');
    }
    const shown = loops ?? dims.map((_, dim) => dim);
    if (String(shown) !== String(this.#order) || String(dims) !== String(this.#dims)) this.#show(shown, dims);
  }

  /**
   * @param {readonly number[]} order
   * @param {readonly string[]} dims
   */
  #show(order, dims) {
    const list = find(this, '.loops', HTMLElement);
    if (String(dims) !== String(this.#dims)) {
      this.#dims = dims;
      list.replaceChildren(...dims.map((name, dim) => make('button', { type: 'button', class: 'loop', 'data-dim': String(dim) }, [name])));
    }
    this.#order = order;
    order.forEach((dim, at) => {
      const chip = find(list, `[data-dim="${dim}"]`, HTMLButtonElement);
      chip.setAttribute('aria-label', `${dims[dim]}, loop ${at + 1} of ${order.length}`);
      // Moving an element takes the focus from it, so that only what is out of place is moved.
      if (list.children[at] !== chip) {
        const focused = document.activeElement;
        list.insertBefore(chip, list.children[at]);
        if (focused instanceof HTMLElement && list.contains(focused)) focused.focus();
      }
    });
  }

  /**
   * @param {number} from
   * @param {number} to
   */
  #move(from, to) {
    if (from === to || to < 0 || to >= this.#order.length) return;
    this.#show(movedTo(this.#order, from, to), this.#dims);
    this.#take();
  }

  #take() {
    walkerOf(this.session).choose(orderText(this.#order, this.#dims));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const at = this.#placeOf(event.target);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (at < 0 || by === undefined) return;
    event.preventDefault();
    this.#move(at, at + by);
  }

  /**
   * A letter is held: it follows the pointer along the line, and is taken where it is let go. A press without
   * a drag makes it the innermost loop.
   * @param {PointerEvent} down
   */
  #hold(down) {
    const chip = around(down, '.loop');
    if (!chip || down.button !== 0) return;
    const before = this.#order;
    let dragged = false;
    // The line is never moved itself, so that it keeps the pointer.
    const list = find(this, '.loops', HTMLElement);
    /** @param {PointerEvent} event */
    const drag = (event) => {
      if (!dragged && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) < DRAG_SLACK_CSS) return;
      dragged = true;
      chip.classList.add('held');
      const others = [...list.children].filter((one) => one !== chip).map((one) => one.getBoundingClientRect());
      const to = others.filter(({ left, width }) => left + width / 2 < event.clientX).length;
      const from = this.#placeOf(chip);
      if (to !== from) this.#show(movedTo(this.#order, from, to), this.#dims);
    };
    /** @param {PointerEvent} event */
    const end = (event) => {
      chip.classList.remove('held');
      if (event.type === 'pointercancel') this.#show(before, this.#dims);
      else if (!dragged) this.#move(this.#placeOf(chip), this.#order.length - 1);
      else if (String(before) !== String(this.#order)) this.#take();
    };
    hold(list, down, drag, this.signal, end);
  }

  /** @param {EventTarget | null} target */
  #placeOf(target) {
    const chip = target instanceof Element ? target.closest('.loop') : null;
    return [...find(this, '.loops', HTMLElement).children].findIndex((one) => one === chip);
  }

  /**
   * Says what is wrong with an order.
   * @param {string} text as typed
   * @param {readonly string[]} dims
   */
  #read(text, dims) {
    const read = readOrder(text, dims);
    this.#say('problem' in read ? orderProblem(read.problem, read.name, dims) : '');
    return 'order' in read ? read.order : null;
  }

  /** @param {string} text */
  #say(text) {
    this.say('.error', text);
    find(this, 'input', HTMLInputElement).setAttribute('aria-invalid', String(text !== ''));
  }
});
