import { tensorJson } from '../../api/fields.js';
import { IMPORTED } from '../../api/python.js';
import { offsetCode, variables } from '../facts/code.js';

/** @import { Description, TensorFields } from '../../api/types.js' */
/** @import { Code } from '../facts/code.js' */

/** How many steps the call lists. */
const STEPS = 64;
/** @typedef {{description: Description, fields: TensorFields}} Answer */
/** @typedef {{bufferElements: number}} Sized */

/**
 * What gives the same reorder elsewhere: the call of the API, Python, and loops in C.
 * @param {string} kind curl, python or c
 * @param {{answers: {a: Answer, b: Answer}, tensors: {a: Sized, b: Sized}, itemsize_bits: number} | null} ready
 * @param {string} origin
 * @returns {Code}
 */
export function reorderCode(kind, ready, origin) {
  if (!ready) return { reason: 'There is no reorder yet.' };
  const { answers, tensors: { a, b }, itemsize_bits: bits } = ready;
  const about = { buffers: { a: a.bufferElements, b: b.bufferElements }, bits };
  if (kind === 'curl') return { text: curl(answers, origin) };
  return kind === 'python' ? python(answers, about) : loops(answers, about);
}

/** @param {{a: Answer, b: Answer}} answers @param {string} origin */
function curl({ a, b }, origin) {
  const body = `{"source": ${tensorJson(a.fields)}, "target": ${JSON.stringify(b.fields.layout)}, "count": ${STEPS}}`;
  return `curl '${origin}/api/v1/schedule' -H 'Content-Type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
}

/**
 * @param {{a: Answer, b: Answer}} answers
 * @param {{buffers: {a: number, b: number}, bits: number}} about
 * @returns {Code}
 */
function python({ a, b }, { buffers, bits }) {
  if (bits < 8) return { reason: 'Two elements share a byte: stridescope.reorder takes two to a byte, with dtype="int4".' };
  const { shape, dtype } = a.description;
  const sizes = `(${shape.join(', ')}${shape.length === 1 ? ',' : ''})`;
  const read = (/** @type {Answer} */ { fields }) => `stridescope.parse_layout(${[JSON.stringify(fields.layout), sizes, ...named(a)].join(', ')})`;
  return {
    text: [
      'import numpy as np',
      IMPORTED,
      '',
      `source = ${read(a)}`,
      `target = ${read(b)}`,
      bits > 64 ? `a = np.zeros(${buffers.a}, np.complex128)  # in address order` : `a = np.arange(${buffers.a}).astype(np.uint${bits})  # ${dtype}, by its bits, in address order`,
      'b = stridescope.reorder(a, source, target)',
      '',
    ].join('\n'),
  };
}

/** @param {Answer} answer */
function named({ fields: { dims, dtype } }) {
  return [...(dims.trim() ? [`dims=${JSON.stringify(dims.trim())}`] : []), ...(dtype.trim() ? [`dtype=${JSON.stringify(dtype.trim())}`] : [])];
}

/**
 * One loop for each dimension: the order of the elements is free, the addresses are those of the two layouts.
 * @param {{a: Answer, b: Answer}} answers
 * @param {{buffers: {a: number, b: number}, bits: number}} about
 * @returns {Code}
 */
function loops({ a, b }, { buffers, bits }) {
  if (bits < 8) return { reason: 'Two elements share a byte, which C cannot address.' };
  const [from, to] = [offsetCode(a.description, 'source'), offsetCode(b.description, 'target')];
  if (from.text === undefined || to.text === undefined) return from.text === undefined ? from : to;
  const { shape, dims, dtype } = a.description;
  const names = variables(dims);
  const deep = names.map((_, at) => '    '.repeat(at + 1));
  const element = bits > 64 ? 'typedef struct { uint64_t part[2]; } element;' : `typedef uint${bits}_t element;`;
  const [source, target] = [from, to].map(({ text = '' }) => `static ${text.slice(text.indexOf('size_t'))}`);
  return {
    text: [
      '#include <stddef.h>',
      '#include <stdint.h>',
      '#include <string.h>',
      '',
      `${element} /* ${dtype}, by its bits */`,
      '',
      source,
      target,
      `/* in: ${buffers.a} elements, out: ${buffers.b}; what no element owns is 0 */`,
      'void reorder(const element *in, element *out) {',
      `    memset(out, 0, ${buffers.b} * sizeof *out);`,
      ...names.map((name, at) => `${deep[at]}for (size_t ${name} = 0; ${name} < ${shape[at]}; ${name}++)`),
      `${'    '.repeat(names.length + 1)}out[target(${names.join(', ')})] = in[source(${names.join(', ')})];`,
      '}',
      '',
    ].join('\n'),
  };
}
