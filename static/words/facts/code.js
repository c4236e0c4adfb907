/** @typedef {{text: string, kind: '' | 'comment' | 'string' | 'number' | 'keyword'}} CodeToken */

const KEYWORDS = new Set([
  'import', 'from', 'as', 'for', 'in', 'lambda', 'def', 'return', 'auto', 'const', 'int', 'int64_t', 'size_t', 'void', 'char', 'static',
  'struct', 'using', 'namespace', 'new', 'sizeof', 'True', 'False', 'None', 'true', 'false', 'NULL', 'nullptr', 'curl',
]);
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
