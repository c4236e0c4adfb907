/** @typedef {{text: string, kind: '' | 'comment' | 'string' | 'number' | 'keyword'}} CodeToken */

const KEYWORDS = new Set([
  'import', 'from', 'as', 'for', 'in', 'lambda', 'def', 'return', 'auto', 'const', 'int', 'int64_t', 'size_t', 'void', 'char', 'static',
  'struct', 'using', 'namespace', 'new', 'sizeof', 'True', 'False', 'None', 'true', 'false', 'NULL', 'nullptr', 'curl',
]);
/** More characters than these hardly fit the column beside an indentation. */
const LONG = 26;
const TOKEN = /(?<comment>#.*|\/\/.*|\/\*.*?\*\/)|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<number>\b(?:0[xb])?\d[\w.]*)|(?<word>[A-Za-z_]\w*)|(?<rest>\s+|[^\sA-Za-z_\d"'#/]+|.)/gu;

/**
 * A line of Python, C, C++ or a shell, token by token.
 * @param {string} line
 * @returns {CodeToken[]} their texts together are the line
 */
export function codeTokens(line) {
  return [...line.matchAll(TOKEN)].map(({ 0: text, groups = {} }) => {
    if (groups.comment !== undefined) return { text, kind: 'comment' };
    if (groups.string !== undefined) return { text, kind: 'string' };
    if (groups.number !== undefined) return { text, kind: 'number' };
    return { text, kind: groups.word !== undefined && KEYWORDS.has(text) ? 'keyword' : '' };
  });
}

/**
 * Where a line may go on below, besides its blanks: before a method of a result; in what is long without either, after
 * an opening bracket, an equals sign or a scope. Never inside a name.
 * @param {string} line
 * @returns {number[]} positions in the line
 */
export function seamsOf(line) {
  const pieces = line.split(/(?<=\s)(?=\S)|(?<=\))(?=\.)/).flatMap((piece) => (piece.length > LONG ? piece.split(/(?<=[([{=]|::)(?![([{])/) : [piece]));
  let at = 0;
  return pieces.slice(0, -1).map((piece) => (at += piece.length));
}

/** @typedef {{text?: string, reason?: string}} Code a program, or why there is none */

/**
 * The address of an element as a function in C.
 * @param {import('../../api/types.js').Description} description
 * @param {string} name of the function
 * @returns {Code}
 */
export function offsetCode({ dims, written = dims, notations: { c = {} } }, name = 'offset') {
  if (c.text === undefined) return { reason: c.reason ?? '' };
  const sizes = variables(written).map((dim) => `size_t ${dim}`);
  const text = [
    '#include <stddef.h>',
    '',
    '/* in elements, from the first one of the buffer */',
    `size_t ${name}(${sizes.join(', ') || 'void'}) {`,
    `    return ${c.text};`,
    '}',
  ];
  return { text: `${text.join('\n')}\n` };
}

/**
 * The letters of an index expression: small, unless two names differ only in case.
 * @param {string | readonly string[]} dims
 */
export function variables(dims) {
  const small = [...dims].map((dim) => dim.toLowerCase());
  return new Set(small).size === small.length ? small : [...dims];
}
