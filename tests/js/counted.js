/**
 * Copies of the modules of static/ in which every loop counts its steps and stops at a limit, so that
 * a loop without a bound fails a test instead of hanging it.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const STATIC_DIR = resolve(dirname(fileURLToPath(import.meta.url)), '../../static');
const LOOP = /\b(?:for|while)\s*\(/g;
const SKIPPED = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** What the copies count. The limit is of one stretch, from `restart` on. */
export const steps = {
  taken: 0,
  limit: Infinity,
  /** @param {number} limit */
  restart(limit) {
    this.taken = 0;
    this.limit = limit;
  },
};

/** @param {number} count */
function take(count) {
  steps.taken += count;
  if (steps.taken > steps.limit) throw new Error(`a loop goes on after ${steps.limit} steps`);
  return true;
}

Object.assign(globalThis, {
  countedStep: () => take(1),
  /** @param {any} items */
  countedEach(items) {
    take(items.length ?? items.size ?? 1);
    return items;
  },
});

/**
 * @param {string} code without comments and strings
 * @param {number} open place of a bracket
 * @returns {number} place of the bracket that closes it
 */
function closing(code, open) {
  let depth = 0;
  for (let at = open; at < code.length; at += 1) {
    if ('([{'.includes(code[at])) depth += 1;
    if (')]}'.includes(code[at])) depth -= 1;
    if (depth === 0) return at;
  }
  throw new Error('a bracket is not closed');
}

/**
 * @param {string} source of a module
 * @returns {string} the same, counting
 */
export function counting(source) {
  // Comments and strings become spaces, so that places stay what they are.
  const code = source.replace(SKIPPED, (text) => ' '.repeat(text.length));
  let result = source;
  for (const match of [...code.matchAll(LOOP)].reverse()) {
    const open = match.index + match[0].length - 1;
    const close = closing(code, open);
    const head = source.slice(open + 1, close);
    const parts = head.split(';');
    const of = / of /.exec(head);
    let counted = `countedStep() && (${head})`;
    if (parts.length === 3) counted = `${parts[0]}; countedStep() && (${parts[1].trim() || 'true'}); ${parts[2]}`;
    else if (match[0].startsWith('for') && of) {
      counted = `${head.slice(0, of.index)} of countedEach(${head.slice(of.index + 4)})`;
    } else if (match[0].startsWith('for')) throw new Error(`what loop is this: for (${head})`);
    result = result.slice(0, open + 1) + counted + result.slice(close);
  }
  return result;
}

/**
 * @template T
 * @param {(load: (path: string) => Promise<any>) => Promise<T>} use loads counting copies, by their path in static/
 * @returns {Promise<T>}
 */
export async function withCounted(use) {
  const folder = mkdtempSync(join(tmpdir(), 'counted-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    for (const floor of ['core', 'draw']) cpSync(join(STATIC_DIR, floor), join(folder, floor), { recursive: true });
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const file = join(folder, path);
      if (path.endsWith('.js')) writeFileSync(file, counting(readFileSync(file, 'utf8')));
    }
    return await use((path) => import(pathToFileURL(join(folder, path)).href));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
