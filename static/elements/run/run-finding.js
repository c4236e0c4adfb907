import { bytesText } from '../../core/network/texts.js';
import { countsText, layoutText, reorderQuery, shareText, sizesOf, timeText, TITLES } from '../../words/run/events.js';
import { find, RunPart } from '../shared/part.js';

/** Share of the time from which reorders are the headline where nothing is found. */
const LEAST_SHARE = 0.1;

/** One finding of the run: how much it is, what there is, what to do, what the log cannot show. */
customElements.define('run-finding', class RunFindingPart extends RunPart {
  /** @override */
  start() {
    this.press('.previous', () => this.session.choose(this.session.at - 1));
    this.press('.next', () => this.session.choose(this.session.at + 1));
    this.when(['answer', 'finding'], () => this.#show());
  }

  #show() {
    const { answer, finding, at, name } = this.session;
    const count = answer?.findings.length ?? 0;
    this.say('.kicker span', finding ? `${name}: finding ${at + 1} of ${count}, ${finding.certainty}` : name);
    find(this, '.previous', HTMLButtonElement).disabled = at <= 0;
    find(this, '.next', HTMLButtonElement).disabled = at >= count - 1;
    find(this, '.kicker span:last-child', HTMLElement).hidden = count < 2;
    const { ms = 0, reorder_ms: moving = 0 } = answer?.totals ?? {};
    const costly = !finding && ms > 0 && moving >= LEAST_SHARE * ms;
    const share = finding ? shareText(finding.ms, ms) : '';
    this.say('.share b', finding ? share || timeText(finding.ms) : '');
    this.say('.share span', finding ? `of the run: ${share ? `${whole(timeText(finding.ms))}, ` : ''}${whole(bytesText(finding.bytes))}` : '');
    this.say('.title', finding ? (TITLES[finding.code] ?? finding.code) : costly ? `${whole(shareText(moving, ms))} of the time is in reorders` : countsText(answer));
    const reorders = costly ? '' : shareText(moving, ms);
    this.say('.said', finding ? finding.text : `No rule found anything in this run that it is sure enough of.${reorders && ` Reorders take ${reorders} of its time.`}`);
    this.say('.unseen', finding ? finding.unseen : (answer?.notes.join(' ') ?? ''));
    this.#lead();
  }

  /** Links to the first reorder of the finding: its two memories, and its steps. */
  #lead() {
    const { answer, finding } = this.session;
    const moved = finding?.events.map((at) => answer?.events[at]).find((event) => event && reorderQuery(event));
    find(this, '.lesson', HTMLElement).hidden = !moved;
    for (const [name, page, text] of /** @type {const} */ ([['.both', '/', 'See row'], ['.steps', '/reorder', 'Watch row']])) {
      const lead = find(this, name, HTMLAnchorElement);
      lead.hidden = !moved;
      if (!moved) continue;
      const [source, target] = moved.operands;
      lead.href = `${page}?${reorderQuery(moved)}`;
      this.say(`${name} span`, page === '/' ? `${text} ${moved.index + 1} in the explorer` : `${text} ${moved.index + 1} step by step`);
      this.say(`${name} small`, page === '/' ? `${layoutText(source)}, then ${layoutText(target)}` : `${sizesOf(source)} ${source.dtype}`);
    }
  }
});

/** @param {string} text of a number and its unit, which stay in one line */
function whole(text) {
  return text.replaceAll(' ', '\u00a0');
}
