// The floors of static/: elements -> (draw, state, words) -> api -> core, read from the imports
// themselves, those of types in comments included.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const STATIC_DIR = resolve(dirname(fileURLToPath(import.meta.url)), "../../static");

/** What a module of each folder of static/ may import from. @type {Record<string, string[]>} */
const MAY_IMPORT = {
  core: ["core"],
  api: ["api", "core"],
  words: ["words", "api", "core"],
  state: ["state", "api", "core"],
  draw: ["draw", "core"],
  elements: ["elements", "draw", "state", "words", "api", "core"],
};

/** No folder holds more files of one kind than a newcomer takes in at a glance. */
const MOST_FILES = 15;

const IMPORT = /(?:^|[\s;}])(?:import|export)\s*(?:[\w*{}\s,$]+?\s*from\s*)?["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/g;
const TYPE_IMPORT = /\bimport\(\s*["']([^"']+)["']\s*\)\.\w|@import\s*\{[^}]*\}\s*from\s*["']([^"']+)["']/g;
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;
const MARKUP = /\.(?:innerHTML|outerHTML)\s*\+?=(?!=)|\.insertAdjacentHTML\s*\(|\bdocument\.write\s*\(/;

/**
 * @param {string} path of the module, relative to static/
 * @param {string} source
 * @returns {string[]} one sentence per breach
 */
function breaches(path, source) {
  const code = source.replace(COMMENT, "");
  const floor = path.split("/")[0];
  const allowed = MAY_IMPORT[floor];
  if (!allowed) return [`${path}: ${floor} is no floor of static/`];
  const found = [];
  const types = (source.match(COMMENT) ?? []).flatMap((comment) => [...comment.matchAll(TYPE_IMPORT)]);
  for (const match of [...code.matchAll(IMPORT), ...types]) {
    const target = match[1] ?? match[2];
    if (!target.startsWith(".")) {
      found.push(`${path}: imports ${target}, which is not a relative path`);
      continue;
    }
    const imported = join(dirname(path), target).split(sep).join("/");
    if (!allowed.includes(imported.split("/")[0])) {
      found.push(`${path}: ${floor} may not import ${imported}`);
    } else if (!imported.endsWith(".js")) {
      found.push(`${path}: the browser needs the .js of ${imported}`);
    }
  }
  if (MARKUP.test(code)) found.push(`${path}: writes markup from a string`);
  return found;
}

/** @returns {string[]} every module of static/, relative to it */
function modules() {
  if (!existsSync(STATIC_DIR)) return [];
  return readdirSync(STATIC_DIR, { recursive: true, encoding: "utf8" })
    .map((path) => path.split(sep).join("/"))
    .filter((path) => path.endsWith(".js") && !path.startsWith("bundles/"));
}

/** @param {string} path relative to static/ */
const read = (path) => readFileSync(join(STATIC_DIR, path), "utf8");

test("no module of static/ imports upwards, from outside, or writes markup", () => {
  const paths = modules();
  assert.ok(paths.length > 0, `no modules under ${relative(".", STATIC_DIR)}`);
  assert.deepEqual(paths.flatMap((path) => breaches(path, read(path))), []);
});

test("every import of static/ leads to a file", () => {
  const missing = modules().flatMap((path) =>
    [...read(path).replace(COMMENT, "").matchAll(IMPORT)]
      .map((match) => join(dirname(path), match[1] ?? match[2]))
      .filter((target) => !existsSync(join(STATIC_DIR, target)))
      .map((target) => `${path}: ${target}`),
  );
  assert.deepEqual(missing, []);
});

test("no modules of static/ import each other in a circle", () => {
  const imports = new Map(
    modules().map((path) => [
      path,
      [...read(path).replace(COMMENT, "").matchAll(IMPORT)].map((match) => join(dirname(path), match[1] ?? match[2])),
    ]),
  );
  // What imports nothing that is left goes first; a circle is what never goes.
  for (let before = -1; before !== imports.size; ) {
    before = imports.size;
    for (const [path, targets] of imports) {
      if (!targets.some((target) => imports.has(target))) imports.delete(path);
    }
  }
  assert.deepEqual([...imports.keys()], []);
});

test("every element is defined in the file of its name, and elements/shared/ defines none", () => {
  const wrong = modules()
    .filter((path) => path.startsWith("elements/"))
    .filter((path) => {
      const tags = [...read(path).matchAll(/customElements\.define\(\s*["']([^"']+)["']/g)];
      const expected = path.startsWith("elements/shared/") ? [] : [basename(path, ".js")];
      return tags.map((tag) => tag[1]).join() !== expected.join();
    });
  assert.deepEqual(wrong, []);
});

test("no folder of static/ is too long to read", () => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const path of modules()) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  assert.deepEqual([...counts].filter(([, count]) => count > MOST_FILES), []);
});

for (const [name, path, source, expected] of [
  ["core importing draw", "core/a.js", 'import { x } from "../draw/b.js";', /core may not import draw/],
  ["draw importing the state", "draw/a.js", 'import "../state/b.js";', /draw may not import state/],
  ["the API client importing the state", "api/a.js", 'import "../state/b.js";', /api may not import state/],
  ["a re-export upwards", "state/a.js", 'export * from "../elements/b.js";', /state may not import elements/],
  ["an import out of a folder within a floor", "core/rows/a.js", 'import "../../draw/b.js";', /core may not import draw/],
  ["an import on several lines", "core/a.js", 'import {\n  x,\n  y as z,\n} from "../api/b.js";', /core may not import api/],
  ["a dynamic import upwards", "core/a.js", 'await import("../api/b.js")', /core may not import api/],
  ["a type from above", "api/a.js", "/** @param {import('../state/types.js').Side} side */", /api may not import state/],
  ["types from above", "api/a.js", "/** @import { Side } from '../state/types.js' */", /api may not import state/],
  ["an import after another statement", "core/a.js", 'f();import d from "../draw/b.js"', /core may not import draw/],
  ["a package", "core/a.js", 'import x from "lodash";', /not a relative path/],
  ["another host", "core/a.js", 'import "https://example.org/x.js";', /not a relative path/],
  ["a missing ending", "core/a.js", 'import "./b";', /needs the \.js/],
  ["a folder without a floor", "app/a.js", "", /no floor/],
  ["markup from a string", "elements/a.js", "this.innerHTML = x;", /markup/],
]) {
  test(`the reader of imports sees ${name}`, () => {
    assert.match(breaches(String(path), String(source)).join("\n"), /** @type {RegExp} */ (expected));
  });
}

test("the reader of imports lets the allowed ones pass", () => {
  const source = [
    'import { x } from "../core/b.js";',
    '// import { y } from "../elements/c.js";',
    '/** @typedef {import("../core/d.js").D} D */',
    'const text = "an import of goods";',
    "if (node.innerHTML === text) count();",
  ].join("\n");
  assert.deepEqual(breaches("draw/a.js", source), []);
});
