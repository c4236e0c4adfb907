import { explorerHref, layoutText, mainOperand, placeText, sizesOf, timeText } from '../../words/run/events.js';
import { bytesText } from '../../core/network/texts.js';
import { find, make, RunPart } from '../shared/part.js';

/** @import { RunEvent, RunLink, RunOperand } from '../../api/run.js' */

const ROWS = 200;
/** Parts of the time line above the table; shorter neighbours are one bar. */
const PARTS = 400;
/** Pixels of a bar that its number fits in. */
const NUMBERED_CSS = 30;
/** Share of the time line up to which its marks leave room for that of its end. */
const ENDS_AT = 0.8;

/** The events in their order, each with its place on the time line. */
customElements.define('run-events', class RunEvents extends RunPart {
  #shown = ROWS;
  #longestFirst = false;
  /** @type {number | null} index of the event whose tensors are listed */
  #opened = null;

  /** @override */
  start() {
    this.when('answer', () => ([this.#shown, this.#opened] = [ROWS, null]));
    this.when(['answer', 'show', 'finding'], () => this.#show());
    this.when('finding', () => this.querySelector('tr.hot')?.scrollIntoView({ block: 'nearest' }));
    this.press('.by-time', () => {
      this.#longestFirst = !this.#longestFirst;
      this.#show();
    });
    this.listen(find(this, 'tbody', HTMLElement), 'click', ({ target }) => {
      const pressed = target instanceof Element && !target.closest('a') ? target.closest('tr[data-event]') : null;
      if (pressed) this.#open(Number(pressed.getAttribute('data-event')));
    });
    this.press('.more', () => {
      this.#shown += ROWS;
      this.#show();
    });
  }

  /** Lists the tensors of an event below its row, or no longer. @param {number} index */
  #open(index) {
    this.#opened = this.#opened === index ? null : index;
    this.#show();
    find(this, `tr[data-event="${index}"] button`, HTMLButtonElement).focus();
  }

  #show() {
    const { answer, finding, reordersOnly } = this.session;
    if (!answer) return;
    const { kind, events, left_out: left, links } = answer;
    const hot = new Set(finding?.events);
    const listed = events.filter((event) => !reordersOnly || event.is_reorder);
    if (this.#longestFirst) listed.sort((one, other) => (other.ms ?? -1) - (one.ms ?? -1));
    find(this, '[aria-sort]', HTMLElement).setAttribute('aria-sort', this.#longestFirst ? 'descending' : 'none');
    const rows = listed.slice(0, this.#shown);
    const times = places(events);
    const traced = kind === 'stridescope-trace';
    const body = rows.flatMap((event) => {
      const opened = event.index === this.#opened;
      const own = row(event, times, links, hot, { traced: traced && event.within === null, opened });
      return opened ? [own, tensorsOf(event)] : [own];
    });
    find(this, 'tbody', HTMLElement).replaceChildren(...body);
    const words = `${rows.length} of ${listed.length} ${reordersOnly ? 'reorders' : 'events'} ${this.#longestFirst ? 'by time' : 'in the order of the log'}`;
    this.say('.about', left > 0 ? `${words}; ${left} more are in the sums alone` : words);
    find(this, '.more', HTMLButtonElement).hidden = rows.length >= listed.length;
    const over = find(this, '.over', HTMLElement);
    over.replaceChildren(...parts(events, times).map((part) => bar(part, times, hot)));
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (over.querySelectorAll('.time-bar'))) each.toggleAttribute('data-wide', each.offsetWidth >= NUMBERED_CSS);
    find(this, '.axis', HTMLElement).replaceChildren(...ticks(events));
  }
});

/**
 * Where each event begins and how long it is, in percents of all of them.
 * @param {readonly RunEvent[]} events
 * @returns {Map<number, {start: number, width: number}>}
 */
function places(events) {
  const total = events.reduce((sum, { ms }) => sum + Math.max(ms ?? 0, 0), 0) || 1;
  const found = new Map();
  let start = 0;
  for (const { index, ms } of events) {
    const width = (Math.max(ms ?? 0, 0) / total) * 100;
    found.set(index, { start, width });
    start += width;
  }
  return found;
}

/**
 * The marks of the time line: round times at equal distances, and its end.
 * @param {readonly RunEvent[]} events
 * @returns {HTMLElement[]}
 */
function ticks(events) {
  const total = events.reduce((sum, { ms }) => sum + Math.max(ms ?? 0, 0), 0);
  if (total === 0) return [];
  const power = 10 ** Math.floor(Math.log10(total / 2));
  const step = power * ([5, 2, 1].find((factor) => 2 * factor * power <= total) ?? 1);
  const round = Array.from({ length: Math.floor((ENDS_AT * total) / step) + 1 }, (_, at) => at * step);
  return [...round, total].map((ms) => {
    const tick = make('span', {}, [ms === 0 ? '0' : timeText(ms)]);
    tick.style.left = `${(ms / total) * 100}%`;
    return tick;
  });
}

/**
 * Events in a row that are one bar: a long one alone, short ones together.
 * @param {readonly RunEvent[]} events
 * @param {ReadonlyMap<number, {start: number, width: number}>} times
 */
function parts(events, times) {
  const found = /** @type {RunEvent[][]} */ ([]);
  let width = Infinity;
  for (const event of events) {
    const own = times.get(event.index)?.width ?? 0;
    if (own === 0) continue;
    if (width >= 100 / PARTS || own >= 100 / PARTS) found.push([]);
    width = found[found.length - 1].push(event) > 1 ? width + own : own;
  }
  return found;
}

/**
 * A bar of the time line. Of several events it is a reorder's if these take most of the time.
 * @param {readonly RunEvent[]} events
 * @param {ReadonlyMap<number, {start: number, width: number}>} times
 * @param {ReadonlySet<number>} hot
 */
function bar(events, times, hot) {
  const [first] = events;
  const width = (/** @type {readonly RunEvent[]} */ some) => some.reduce((sum, { index }) => sum + (times.get(index)?.width ?? 0), 0);
  const moves = 2 * width(events.filter((event) => event.is_reorder)) > width(events);
  const classes = ['time-bar', ...(moves ? ['moves'] : []), ...(events.some(({ index }) => hot.has(index)) ? ['hot'] : [])];
  const ms = events.reduce((sum, event) => sum + (event.ms ?? 0), 0);
  const named = events.length === 1 ? `${first.index + 1} ${first.primitive}` : `${first.index + 1} to ${events[events.length - 1].index + 1}`;
  const made = make('span', { class: classes.join(' '), title: `${named}: ${timeText(first.ms === null ? null : ms)}`, 'data-number': String(first.index + 1) });
  made.style.left = `${times.get(first.index)?.start ?? 0}%`;
  made.style.width = `${width(events)}%`;
  return made;
}

/**
 * @param {RunEvent} event
 * @param {ReadonlyMap<number, {start: number, width: number}>} times
 * @param {readonly RunLink[]} links
 * @param {ReadonlySet<number>} hot
 * @param {{traced: boolean, opened: boolean}} as traced: whether it is an operator of a trace
 */
function row(event, times, links, hot, { traced, opened }) {
  const { index, primitive, implementation, operands, ms, within } = event;
  const name = make('th', { scope: 'row', title: implementation }, [primitive, ...(traced ? [make('small', {}, [placeText(event)])] : [])]);
  const sources = links.filter(({ target }) => target === index);
  const reads = sources.map(({ source, operand, one_of: many }) => `${operands[operand]?.role} of ${source + 1}${many > 1 ? `, or an earlier one: ${many} candidates` : ''}`);
  const classes = [...(event.is_reorder ? ['moves'] : []), ...(hot.has(index) ? ['hot'] : []), ...(within === null ? [] : ['within'])];
  return make('tr', { class: classes.join(' '), 'data-event': String(index) }, [
    make('td', { class: 'no' }, [make('button', { type: 'button', class: 'quiet', 'aria-expanded': String(opened), 'aria-label': `${index + 1}, its tensors` }, [String(index + 1)])]),
    name,
    make('td', { class: 'implementation' }, [implementation]),
    make('td', { class: 'sizes' }, [sizesOf(mainOperand(event))]),
    make('td', { class: 'layouts' }, operands.flatMap((operand, at) => [...(at > 0 ? [' '] : []), operandLink(operand)])),
    make('td', { class: 'reads' }, [reads.join('; ')]),
    make('td', { class: 'number' }, [traced && ms === null ? '' : timeText(ms)]),
    make('td', { class: 'lane' }, [make('div', {}, [bar([event], times, hot)])]),
  ]);
}

/** A row with all that is said of the tensors of an event. @param {RunEvent} event */
function tensorsOf({ implementation, operands, auxiliary }) {
  const items = operands.map((operand) => make('li', {}, [operandLink(operand), ` ${factsOf(operand)}`]));
  const said = [implementation, auxiliary].filter(Boolean).join('; ');
  return make('tr', { class: 'tensors' }, [make('td', {}), make('td', { colspan: '7' }, [make('ul', {}, items), ...(said ? [make('p', { class: 'hint' }, [said])] : [])])]);
}

/** Sizes, type and bytes of a tensor. @param {RunOperand} operand */
function factsOf(operand) {
  const { dtype, bytes, at_least: least } = operand;
  const facts = [sizesOf(operand) || 'sizes not said', dtype, bytes === null ? '' : `${least ? 'at least ' : ''}${bytesText(bytes)}`];
  return facts.filter(Boolean).join(', ');
}

/** @param {RunOperand} operand */
function operandLink(operand) {
  const text = `${operand.role} ${layoutText(operand)}`;
  const href = explorerHref(operand);
  const title = factsOf(operand);
  return href ? make('a', { href, title }, [text]) : make('span', { title }, [text]);
}
