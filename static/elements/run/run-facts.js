import { bytesText } from '../../core/network/texts.js';
import { shareText, timeText } from '../../words/run/events.js';
import { make, RunPart } from '../shared/part.js';
import { makeRow } from '../shared/table/tables.js';

/** @import { RunAnswer } from '../../api/run.js' */

const MOST_IMPLEMENTATIONS = 8;

/** The run in numbers, and what of the text was not read. */
customElements.define('run-facts', class RunFacts extends RunPart {
  /** @override */
  start() {
    this.when('answer', () => this.session.answer && this.replaceChildren(...facts(this.session.answer)));
  }
});

/**
 * @param {RunAnswer} answer
 * @returns {Node[]}
 */
function facts({ kind, versions, totals, period, skipped, notes, columns, findings }) {
  const rows = [
    ['read as', kind],
    ...versions.map((version) => ['version', version]),
    ['events', totals.events.toLocaleString('en')],
    ['of these reorders', totals.reorders.toLocaleString('en')],
    ['time', timeText(totals.ms)],
    ['in reorders', `${timeText(totals.reorder_ms)} ${shareText(totals.reorder_ms, totals.ms)}`.trim()],
    ['moved by reorders', (totals.reorder_bytes_at_least ? 'at least ' : '') + bytesText(totals.reorder_bytes)],
    ...(columns ? [["by PyTorch's rules", bytesText(columns.by_rules)]] : []),
    ...(columns && columns.least !== null ? [['the least possible', bytesText(columns.least)]] : []),
    ...(period ? [['repeats at its end', `${period.events} events, ${period.times} times`]] : []),
    ...(totals.without_time ? [['without a time', String(totals.without_time)]] : []),
    ...(totals.zero_or_less ? [['times of 0 or less', String(totals.zero_or_less)]] : []),
    ...(skipped.lines ? [['lines not read', skipped.lines.toLocaleString('en')]] : []),
  ];
  const table = make('table', {}, [make('caption', {}, ['The run']), make('tbody', {}, rows.map(([name, value]) => makeRow(name, [value])))]);
  const times = totals.implementations.slice(0, MOST_IMPLEMENTATIONS).map(({ name, ms }) => makeRow(name, [timeText(ms), shareText(ms, totals.ms)]));
  const tables = [table, make('table', { class: 'times' }, [make('caption', {}, ['Where the time goes']), make('tbody', {}, times)])];
  const said = [...(columns ? [columns.text, ...columns.differences.map(({ op, where }) => `The rules give ${op} other strides than it had: ${where}.`)] : []), ...(findings.length > 0 ? notes : [])].map((note) => make('p', { class: 'hint' }, [note]));
  if (skipped.first.length === 0) return [...tables, ...said];
  const lines = skipped.first.map(({ line, reason, text }) => make('li', {}, [`${line}: ${reason}`, make('code', {}, [text])]));
  return [...tables, ...said, make('details', {}, [make('summary', {}, ['Lines that were not read']), make('ul', {}, lines)])];
}
