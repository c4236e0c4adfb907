import { isAnswer } from './answers.js';
import { PRESETS, presetOf, stateOf } from './presets.js';

/** @import { Preset, TrialFields } from './presets.js' */
/** @import { PageState, Answer, Side } from './types.js' */

/**
 * What the page tells now: 'begun', the example is on screen; 'underway', its trial is being typed and
 * another tensor is on screen; 'done', the trial was done. `before`: what was answered to the example itself, null
 * where it was not asked.
 * @typedef {{preset: Preset, stage: 'begun' | 'underway' | 'done', before: Answer | null}} Story
 */

/** @typedef {keyof TrialFields} TrialKey */

/** @type {readonly TrialKey[]} */
const FIXED = Object.freeze(['shape', 'layout', 'dtype', 'dims', 'steps', 'slice', 'elements', 'b', 'sample']);

/**
 * The story of a state that was opened as a whole: an example, or the end of its trial.
 * @param {PageState} state
 * @returns {Story | null}
 */
export function storyOf(state) {
  const preset = presetOf(state);
  if (preset) return { preset, stage: 'begun', before: null };
  const tried = PRESETS.find((one) => isDone(one, state, null));
  return tried ? { preset: tried, stage: 'done', before: null } : null;
}

/**
 * The story after a change of the state or an answer. It stays while its trial is being typed, and
 * while what was typed has no answer; it ends when another tensor is on screen.
 * @param {Story | null} story
 * @param {PageState} state
 * @param {Record<Side, Answer | null>} answers the last good ones
 * @returns {Story | null}
 */
export function nextStory(story, state, answers) {
  const answered = isAnswer(answers.a, state.a) && (state.b === null || isAnswer(answers.b, state.b));
  if (!answered) return story ?? storyOf(state);
  if (!story) return storyOf(state);
  const { preset, before } = story;
  if (isDone(preset, state, answers.a)) return { preset, stage: 'done', before };
  if (presetOf(state) === preset) return { preset, stage: 'begun', before: answers.a };
  if (isUnderway(preset, state)) return { preset, stage: 'underway', before };
  return storyOf(state);
}

/**
 * What the trial of a story asks for, until it is done.
 * @param {Story | null} story
 * @returns {Readonly<TrialFields>}
 */
export function askedFor(story) {
  return story && story.stage !== 'done' ? story.preset.trial.done : {};
}

/**
 * @param {Preset} preset
 * @param {PageState} state
 * @param {Answer | null} answer to this state; with one, a layout may be written in any notation
 */
function isDone(preset, state, answer) {
  const done = preset.trial?.done;
  if (!done) return false;
  return (
    othersAreSame(preset, state) &&
    keysOf(done).every((key) => {
      const [now, aim] = [valueOf(state, key), lenient(done[key])];
      return now === aim || (key === 'layout' && now !== valueOf(stateOf(preset), key) && saysLayout(answer, aim));
    })
  );
}

/**
 * Whether each field of the trial is the beginning of its text before or after the trial.
 * @param {Preset} preset
 * @param {PageState} state
 */
function isUnderway(preset, state) {
  const done = preset.trial?.done;
  if (!done || !othersAreSame(preset, state)) return false;
  const before = stateOf(preset);
  return keysOf(done).every((key) => {
    const now = valueOf(state, key);
    return valueOf(before, key).startsWith(now) || lenient(done[key]).startsWith(now);
  });
}

/**
 * Whether what the trial does not change is as in the example.
 * @param {Preset} preset
 * @param {PageState} state
 */
function othersAreSame(preset, state) {
  const before = stateOf(preset);
  const changed = keysOf(preset.trial?.done ?? {});
  return FIXED.every((key) => changed.includes(key) || valueOf(state, key) === valueOf(before, key));
}

/**
 * Whether the cells are drawn as the example's sentences have them: somebody may have chosen other rows or texts.
 * @param {Story} story
 * @param {PageState} state
 */
export function isDrawnAsTold({ preset, stage }, state) {
  const begun = stateOf(preset);
  const told = /** @type {TrialFields} */ (stage === 'done' ? preset.trial.done : {});
  const { text = begun.text, colour = begun.colour } = told;
  // Another shape takes back a row of so many addresses.
  const row = told.row ?? (told.shape && typeof begun.rowLength === 'number' ? 'auto' : begun.rowLength);
  return state.rowLength === row && state.text === text && state.colour === colour;
}

/** @param {TrialFields} fields */
function keysOf(fields) {
  return /** @type {TrialKey[]} */ (Object.keys(fields));
}

/**
 * @param {PageState} state
 * @param {TrialKey} key
 * @returns {string}
 */
function valueOf(state, key) {
  switch (key) {
    case 'b':
      return lenient(state.b?.layout);
    case 'at':
      return lenient(state.selected);
    case 'row':
      return lenient(state.rowLength);
    case 'text':
    case 'colour':
    case 'sample':
      return lenient(state[key]);
    default:
      return lenient(state.a[key]);
  }
}

/** @param {string | number | readonly number[] | null | undefined} value */
function lenient(value) {
  return String(value ?? '').replaceAll(/\s/g, '').toLowerCase();
}

/**
 * Whether the tensor's layout can be written like this.
 * @param {Answer | null} answer
 * @param {string} layout lenient
 */
function saysLayout(answer, layout) {
  if (!answer) return false;
  const { names, notations } = answer.description;
  const texts = [...Object.values(names).flatMap((list) => list.map(({ name }) => name)), ...Object.values(notations).map(({ text }) => text)];
  return texts.some((text) => text !== undefined && lenient(text) === layout);
}
