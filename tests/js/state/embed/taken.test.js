import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseState } from '../../../../static/state/permalink.js';
import { linkQuery, pictureQuery, takenText } from '../../../../static/state/embed/taken.js';

const LIGHT = { theme: 'light' };
/** @type {[string, string, object][]} */
const PICTURES = [
  ['shape=1,6,4,5&layout=NCHW4', 'shape=1,6,4,5&layout=NCHW4&dtype=float32', LIGHT],
  ['shape=(2x3)&layout= (5, 1)', 'shape=2,3&layout=(5,+1)&dtype=float32', LIGHT],
  ['shape=2,3&layout=HW&dtype=int4&dims=HW&elements=9&row=line&at=1,2', 'shape=2,3&layout=HW&dtype=int4&dims=HW&elements=9&row=line&at=1,2', LIGHT],
  ['shape=2,3&layout=HW&b-layout=WH&colour=@line&text=coords&slice=0', 'shape=2,3&layout=HW&dtype=float32&slice=0&b-layout=WH&colour=@line&text=coords', LIGHT],
  ['shape=2,3&layout=HW&colour=@line&line=128&page=8192', 'shape=2,3&layout=HW&dtype=float32&colour=@line&line=128', LIGHT],
  ['shape=2,3&layout=HW&colour=value&text=value&slice=0,0;1,1;1,1', 'shape=2,3&layout=HW&dtype=float32&slice=0,0%3B1,1%3B1,1&colour=value&text=value', LIGHT],
  ['shape=3&layout=W', 'shape=3&layout=W&dtype=float32&values=1,-2.5,NaN', { theme: 'light', values: { data: [1, -2.5, NaN], role: 'data' } }],
  ['shape=3&layout=W', 'shape=3&layout=W&dtype=float32', { theme: 'light', values: { data: [1, 2, 3], role: 'picture' } }],
  ['shape=2,3&layout=HW', 'shape=2,3&layout=HW&dtype=float32&view=memory&theme=dark', { theme: 'dark', view: 'memory' }],
];

for (const [link, picture, look] of PICTURES) {
  test(`the picture of ${link}`, () => {
    assert.equal(pictureQuery(parseState(link), /** @type {any} */ (look)), picture);
  });
}

test('steps, slice and the second layout are drawn by the service', () => {
  const state = parseState('shape=2 x 3&layout=HW&steps=permute(1,0)&slice=0,0;1,2;1,1&b-layout=WH');
  assert.equal(pictureQuery(state, /** @type {any} */ (LIGHT)), 'shape=2,3&layout=HW&dtype=float32&steps=permute(1,0)&slice=0,0%3B1,2%3B1,1&b-layout=WH');
});

test('a link says its version and reads back', () => {
  const state = parseState('shape=2,3&layout=HW&at=1,2');
  assert.match(linkQuery(state), /^v=1&/);
  assert.deepEqual(parseState(linkQuery(state)), state);
});

test('a frame has room for both memories of a comparison', () => {
  const frame = (/** @type {string} */ link) => takenText('html', { origin: '', link, picture: '', title: '' });
  assert.match(frame('shape=4&layout=W'), /height="420"/);
  assert.match(frame('shape=4&layout=W&b-layout=W'), /height="560"/);
});

test('hostile words stay words', () => {
  const hostile = `"><script>alert(1)</script>' $(id) \`x\` ](javascript:alert(1))`;
  const query = new URLSearchParams({ shape: '2,3', layout: hostile }).toString();
  const parts = { origin: 'https://example.org', link: query, picture: query, title: hostile };
  const frame = takenText('html', parts);
  assert.equal(frame.match(/[<>]/g)?.length, 4);
  assert.equal(frame.match(/"/g)?.length, 12);
  const markdown = takenText('markdown', parts);
  assert.equal(markdown.match(/[()]/g)?.length, 4 + (`${hostile}`.match(/[()]/g)?.length ?? 0));
  assert.equal(markdown.match(/[[\]]/g)?.length, 4);
  assert.doesNotMatch(markdown, /[<>]/);
  assert.equal(takenText('curl', { ...parts, picture: "a'b" }), "curl -o picture.svg 'https://example.org/api/v1/picture.svg?a'\\''b'");
  assert.equal(takenText('python', parts), `import stridescope  # after "pip install ." in the folder of its sources\nlayout = stridescope.parse_layout(${JSON.stringify(hostile)}, (2,3))`);
});

test('Python has the names and the type that the layout is read with, unless they are the usual ones', () => {
  const python = (/** @type {string} */ picture) => takenText('python', { origin: '', link: '', picture, title: '' }).split('\n')[1];
  assert.equal(python('shape=2,3&layout=numpy:(3,1)&dtype=int8&dims=ab'), 'layout = stridescope.parse_layout("numpy:(3,1)", (2,3), dims="ab", dtype="int8")');
  assert.equal(python('shape=2,3&layout=HW&dtype=float32'), 'layout = stridescope.parse_layout("HW", (2,3))');
});

test('Python needs a comma after one size, and a view is a call', () => {
  const parts = { origin: 'https://example.org', link: '', picture: 'shape=5&layout=W', title: '' };
  assert.match(takenText('python', parts), /\(5,\)\)$/);
  assert.match(takenText('python', { ...parts, picture: 'shape=5&layout=W&steps=flip(0)' }), /urlretrieve\("https:/);
});
