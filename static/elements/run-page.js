import { EXAMPLE } from '../state/run/example.js';
import { LEFT, packed, unpacked } from '../state/run/link.js';
import { RunSession } from '../state/run/session.js';
import { namesTensors, readerHref, sizesOf, TITLES } from '../words/run/events.js';
import { runCode } from '../words/share/run.js';
import { otherExamples, help, pages, presses } from './shared/command/common.js';
import { PageRoot } from './shared/page/root.js';
import { find, make } from './shared/part.js';
import { ShareMenu } from './share-menu.js';
import './run/run-chain.js';
import './run/run-events.js';
import './run/run-facts.js';
import './run/run-finding.js';
import './run/run-source.js';

/** The page of runs: starts the session, passes it to every part. A small log is kept in the address's fragment. */
customElements.define('run-page', class RunPage extends PageRoot {
  /** @override @type {PageRoot['begin']} */
  begin(signal) {
    const session = new RunSession();
    this.join(session, runCommands(session));
    session.on('answer', () => void this.#keep(session), signal);
    session.on(['problem', 'answer'], () => find(this, '.error', HTMLElement).replaceChildren(...said(session)), signal);
    window.addEventListener('hashchange', () => void this.#open(session), { signal });
    find(this, 'share-menu', ShareMenu).codeOf = (kind) => runCode(kind, location.origin, session.log);
    void this.#open(session);
  }

  /** @param {RunSession} session */
  async #open(session) {
    const left = sessionStorage.getItem(LEFT);
    sessionStorage.removeItem(LEFT);
    const linked = await unpacked(location.hash);
    if (linked !== '' && linked === session.log) return;
    const name = left ? 'The pasted text' : linked ? 'The log of the link' : 'Example';
    await session.read(left || linked || EXAMPLE, name);
  }

  /** @param {RunSession} session */
  async #keep({ log, name }) {
    document.title = `${name}: what ran. Stridescope`;
    const fragment = log === EXAMPLE ? '' : await packed(log);
    if (fragment !== location.hash) this.keep('replace', fragment || location.pathname);
  }
});

/**
 * Why a text is no run, and where its tensors are shown.
 * @param {RunSession} session
 */
function said({ problem, tensors }) {
  const links = tensors.flatMap((one) => {
    const href = readerHref(one, tensors);
    return href ? [' ', make('a', { href }, [`${one.role ?? 'tensor'} ${sizesOf(one)}`])] : [];
  });
  return links.length > 0 ? [namesTensors(problem), ...links] : [problem];
}

/**
 * What the page offers to its palette: findings, pages, examples, help.
 * @param {RunSession} session
 * @returns {import('../words/command/search.js').Commands}
 */
function runCommands(session) {
  return {
    nothing: 'Nothing found. Type part of a name: of a finding, an example or a page.',
    entries: (catalogue) => [
      ...pages(),
      ...(session.answer?.findings ?? []).map(({ code, text }, at) => ({ kind: /** @type {const} */ ('view'), title: TITLES[code] ?? code, about: text, run: () => session.choose(at) })),
      ...presses(),
      ...otherExamples(catalogue),
      ...help('run'),
    ],
  };
}
