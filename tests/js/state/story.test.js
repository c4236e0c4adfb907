import assert from 'node:assert/strict';
import test from 'node:test';
import { askedFor, storyOf, nextStory } from '../../../static/state/story.js';
import { PRESET_GROUPS, stateOf } from '../../../static/state/presets.js';

/** @typedef {import('../../../static/state/types.js').PageState} PageState */
/** @typedef {import('../../../static/state/types.js').Answer} Answer */
/** @typedef {import('../../../static/state/story.js').Story} Story */

const BLOCKS = PRESET_GROUPS[0].presets[2];
const BEGUN = storyOf(stateOf(BLOCKS));

/**
 * @param {PageState} state
 * @param {Partial<PageState['a']>} fields
 * @returns {PageState}
 */
const edited = (state, fields) => ({ ...state, a: { ...state.a, ...fields } });

/**
 * The answers to a state.
 * @param {PageState} state
 * @param {Record<string, {name: string}[]>} [names]
 */
function answersTo({ a, b }, names = {}) {
  /** @param {PageState['a']} fields */
  const one = (fields) => /** @type {Answer} */ ({ fields: { ...fields, slice: '' }, description: /** @type {unknown} */ ({ names, notations: {} }) });
  return { a: one(a), b: b && one(b) };
}

/** @param {string[]} layouts typed one after another into the example of blocks; `accepted` have an answer */
function stages(layouts, accepted = ['NCHW4', 'NCHW', 'NHWC', 'nhwc', ' NHWC', 'NCHW32']) {
  let story = BEGUN;
  let answers = answersTo(stateOf(BLOCKS));
  return layouts.map((layout) => {
    const state = edited(stateOf(BLOCKS), { layout });
    if (accepted.includes(layout)) answers = answersTo(state);
    story = nextStory(story, state, answers);
    return story?.stage ?? null;
  });
}

test('a story stays while its trial is typed, and then says what there is to see', () => {
  assert.deepEqual(stages(['', 'N', 'NH', 'NHW', 'NHWC']), ['begun', 'begun', 'begun', 'begun', 'done']);
  assert.deepEqual(stages(['NCHW', 'NCH', 'N', 'NH', 'NHWC', 'NCHW4']), ['underway', 'underway', 'underway', 'underway', 'done', 'begun']);
});

test('case and blanks do not count, and neither does the notation', () => {
  assert.deepEqual(stages(['nhwc']), ['done']);
  assert.deepEqual(stages([' NHWC']), ['done']);
  const state = edited(stateOf(BLOCKS), { layout: 'channels_last' });
  const answers = answersTo(state, { letters: [{ name: 'NHWC' }] });
  assert.equal(nextStory(BEGUN, state, answers)?.stage, 'done');
});

test('a mistake does not end a story; another tensor does', () => {
  assert.deepEqual(stages(['NHXC', 'NHWC']), ['begun', 'done']);
  assert.deepEqual(stages(['NCHW32']), [null]);
  const other = edited(stateOf(BLOCKS), { shape: '1,6,4,6', layout: 'NHWC' });
  assert.equal(nextStory(BEGUN, other, answersTo(other)), null);
});

test('a story asks for what its trial changes, until it is done', () => {
  assert.deepEqual(askedFor(BEGUN), { layout: 'NHWC' });
  assert.deepEqual(askedFor(storyOf(edited(stateOf(BLOCKS), { layout: 'NHWC' }))), {});
  assert.deepEqual(askedFor(null), {});
});

test('an answer to an earlier text decides nothing', () => {
  const state = edited(stateOf(BLOCKS), { layout: 'NHWC' });
  assert.equal(nextStory(BEGUN, state, answersTo(stateOf(BLOCKS)))?.stage, 'begun');
});

test('every trial can be done: its end is another state than its example, and is found again', () => {
  for (const preset of PRESET_GROUPS.flatMap(({ presets }) => presets)) {
    if (!preset.trial) continue;
    const begun = stateOf(preset);
    const { b = begun.b?.layout, at, row, text, colour, sample, ...fields } = preset.trial.done;
    const a = { ...begun.a, ...fields };
    const state = /** @type {PageState} */ ({
      ...begun,
      a,
      b: b ? { ...a, layout: b } : null,
      selected: at ?? begun.selected,
      rowLength: row ?? begun.rowLength,
      text: text ?? begun.text,
      colour: colour ?? begun.colour,
      sample: sample ?? begun.sample,
    });
    const story = { preset, stage: /** @type {'begun'} */ ('begun'), before: null };
    const answers = answersTo(begun);
    assert.deepEqual(nextStory(story, begun, answers), { ...story, before: answers.a }, preset.title);
    assert.deepEqual(nextStory(story, state, answersTo(state)), { preset, stage: 'done', before: null }, preset.title);
    assert.match(preset.trial.say, /^[A-Z].{10,140}\.$/s, preset.title);
    assert.match(preset.trial.see, /^.{20,170}[.…]$/s, preset.title);
  }
});
