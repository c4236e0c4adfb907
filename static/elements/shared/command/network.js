import { rulesText } from '../../../state/network/rules.js';
import { otherExamples, help, pages, presses, ruleOptions } from './common.js';

/** @import { NetworkSession } from '../../../state/network/session.js' */
/** @import { Commands, Entry } from '../../../words/command/search.js' */

/**
 * What the page of networks offers to its palette: nodes, networks, rules, pages, views, help.
 * @param {NetworkSession} session
 * @param {readonly {name: string, title: string}[]} rules the rule sets, as the server wrote them into the page
 * @returns {Commands}
 */
export function networkCommands(session, rules) {
  return {
    nothing: 'Nothing found. Type part of a name: of a network, a rule set, a node or a page.',
    entries: (catalogue) => [
      ...pages(),
      ...views(session),
      ...session.presets.map(({ name, title }) => ({ kind: /** @type {const} */ ('network'), title, about: name, run: () => session.choosePreset(name) })),
      ...rules.map(({ name, title }) => ({ kind: /** @type {const} */ ('rules'), title: name, about: title, run: () => session.chooseRules(name) })),
      ...ruleOptions((chosen) => ({ run: () => session.change({ ...chosen, was: rulesText(session.state) }) })),
      ...nodes(session),
      ...presses(),
      ...otherExamples(catalogue),
      ...help('network'),
    ],
  };
}

/** @param {NetworkSession} session @returns {Entry[]} */
function views(session) {
  const { show, fold } = session.state;
  return [
    show === 'plan'
      ? { kind: 'view', title: 'Show what the rules do', about: 'In place of the plan.', run: () => session.change({ show: 'rules' }) }
      : { kind: 'view', title: 'Show the plan', about: 'The one with the fewest bytes.', run: () => session.change({ show: 'plan' }) },
    { kind: 'view', title: fold ? 'Unfold repeated blocks' : 'Fold repeated blocks', about: 'Equal blocks as one.', run: () => session.change({ fold: !fold, unfolded: [] }) },
  ];
}

/** @param {NetworkSession} session @returns {Entry[]} */
function nodes(session) {
  const { answer } = session;
  const layout = (/** @type {number} */ at) => answer?.assignment.tensors.get(answer.graph.nodes[at].outputs[0])?.short ?? 'not known';
  return (answer?.found.nodes ?? []).map(({ name, op, reason }, at) => ({
    kind: /** @type {const} */ ('place'),
    title: name,
    about: `${op}, layout ${layout(at)}: ${reason}`,
    run: () => session.change({ at: name }, 'replace'),
  }));
}
