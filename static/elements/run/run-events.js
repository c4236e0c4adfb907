import { explorerHref, layoutText, mainOperand, placeText, sizesOf, timeText } from '../../words/run/events.js';
import { find, make, RunPart } from '../shared/part.js';

/** @typedef {import('../../api/run.js').RunEvent} RunEvent */
/** @typedef {import('../../api/run.js').RunLink} RunLink */

const ROWS = 200;
/** Bars of the time line above the table: more are too thin to see. */
const BARS = 400;
/** Pixels of a bar that its number fits in. */
const NUMBERED_CSS = 30;

/** The events in their order, each with its place on the time line. */
customElements.define('run-events', class RunEvents extends RunPart {
  #shown = ROWS;

  /** @override */
  start() {
    this.when('answer', () => (this.#shown = ROWS));
    this.when(['answer', 'show', 'finding'], () => this.#show());
    this.when('finding', () => this.#reveal());
    this.press('.more', () => {
      this.#shown += ROWS;
      this.#show();
    });
  }

  #show() {
    const { answer, finding, reordersOnly } = this.session;
    if (!answer) return;
    const { kind, events, left_out: left, links } = answer;
    const hot = new Set(finding?.events ?? []);
    const listed = events.filter((event) => !reordersOnly || event.is_reorder);
    const rows = listed.slice(0, this.#shown);
    const times = places(events);
    const sources = sourcesOf(links);
    const traced = kind === 'stridescope-trace';
    const body = rows.map((event) => row(event, times.get(event.index), sources.get(event.index) ?? [], hot.has(event.index), traced && event.within === null));
    find(this, 'tbody', HTMLElement).replaceChildren(...body);
    const words = `${rows.length} of ${listed.length} ${reordersOnly ? 'reorders' : 'events'} in the order of the log`;
    this.say('.about', left > 0 ? `${words}; ${left} more are in the sums alone` : words);
    find(this, '.more', HTMLButtonElement).hidden = rows.length >= listed.length;
    const bars = events.filter(({ index }) => (times.get(index)?.width ?? 0) > 0).slice(0, BARS);
    const over = find(this, '.over', HTMLElement);
    over.replaceChildren(...bars.map((event) => bar(event, times.get(event.index), hot.has(event.index))));
    for (const each of /** @type {NodeListOf<HTMLElement>} */ (over.querySelectorAll('.time-bar'))) each.toggleAttribute('data-wide', each.offsetWidth >= NUMBERED_CSS);
    find(this, '.axis', HTMLElement).replaceChildren(...ticks(events));
  }

  #reveal() {
    const { finding } = this.session;
    const first = finding?.events[0];
    this.querySelector(`tr[data-event="${first}"]`)?.scrollIntoView({ block: 'nearest' });
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
 * The marks of the time line: round times, from 0.
 * @param {readonly RunEvent[]} events
 * @returns {HTMLElement[]}
 */
function ticks(events) {
  const total = events.reduce((sum, { ms }) => sum + Math.max(ms ?? 0, 0), 0);
  if (total === 0) return [];
  const power = 10 ** Math.floor(Math.log10(total / 2));
  const step = power * ([5, 2, 1].find((factor) => 2 * factor * power <= total) ?? 1);
  return [0, step, 2 * step].filter((ms) => ms < total).map((ms) => {
    const tick = make('span', {}, [ms === 0 ? '0' : timeText(ms)]);
    tick.style.left = `${(ms / total) * 100}%`;
    return tick;
  });
}

/**
 * @param {readonly RunLink[]} links
 * @returns {Map<number, RunLink[]>} by reader
 */
function sourcesOf(links) {
  const found = new Map();
  for (const link of links) found.set(link.target, [...(found.get(link.target) ?? []), link]);
  return found;
}

/**
 * @param {RunEvent} event
 * @param {{start: number, width: number} | undefined} place
 * @param {boolean} hot
 */
function bar(event, place, hot) {
  const moves = event.is_reorder ? ' moves' : '';
  const made = make('span', { class: `time-bar${moves}${hot ? ' hot' : ''}`, title: `${event.index + 1} ${event.primitive}: ${timeText(event.ms)}`, 'data-number': String(event.index + 1) });
  made.style.left = `${place?.start ?? 0}%`;
  made.style.width = `${place?.width ?? 0}%`;
  return made;
}

/**
 * @param {RunEvent} event
 * @param {{start: number, width: number} | undefined} place
 * @param {readonly RunLink[]} sources
 * @param {boolean} hot
 * @param {boolean} traced whether it is an operator of a trace
 */
function row(event, place, sources, hot, traced) {
  const { index, primitive, implementation, operands, ms, within } = event;
  const name = make('th', { scope: 'row', title: implementation }, [primitive, ...(traced ? [make('small', {}, [placeText(event)])] : [])]);
  const reads = sources.map(({ source, operand, one_of: many }) => `${operands[operand]?.role} of ${source + 1}${many > 1 ? `, one of ${many}` : ''}`);
  const classes = [...(event.is_reorder ? ['moves'] : []), ...(hot ? ['hot'] : []), ...(within === null ? [] : ['within'])];
  return make('tr', { class: classes.join(' '), 'data-event': String(index) }, [
    make('td', { class: 'no' }, [String(index + 1)]),
    name,
    make('td', { class: 'sizes' }, [sizesOf(mainOperand(event))]),
    make('td', { class: 'layouts' }, operands.flatMap((operand, at) => [...(at > 0 ? [' '] : []), operandLink(operand)])),
    make('td', { class: 'reads' }, [reads.join('; ')]),
    make('td', { class: 'number' }, [traced && ms === null ? '' : timeText(ms)]),
    make('td', { class: 'lane' }, [make('div', {}, [bar(event, place, hot)])]),
  ]);
}

/** @param {import('../../api/run.js').RunOperand} operand */
function operandLink(operand) {
  const text = `${operand.role} ${layoutText(operand)}`;
  const href = explorerHref(operand);
  const bytes = operand.bytes === null ? '' : `, ${operand.at_least ? 'at least ' : ''}${operand.bytes} bytes`;
  const title = `${sizesOf(operand) || 'sizes not said'}${bytes}`;
  return href ? make('a', { href, title }, [text]) : make('span', { title }, [text]);
}
