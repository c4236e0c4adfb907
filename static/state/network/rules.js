/**
 * A set of rules with its options, as one text: "onednn;isa:avx2;kernels:brgemm".
 * @typedef {Readonly<Record<string, string>>} Options by name, as texts; defaults are left out
 */

const MOST_OPTIONS = 8;
const OPTION = /^([a-z_]{1,32}):([A-Za-z0-9_.-]{1,32})$/;

/**
 * @param {readonly string[]} texts such as "isa:avx2"; others are left out
 * @returns {Options}
 */
export function optionsOf(texts) {
  const found = texts.slice(0, MOST_OPTIONS).flatMap((text) => {
    const [, name, value] = OPTION.exec(text) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return Object.freeze(Object.fromEntries(found));
}

/**
 * @param {Options} options
 * @returns {string[]} such as "isa:avx2"
 */
export function optionTexts(options) {
  return Object.entries(options).map(([name, value]) => `${name}:${value}`);
}

/**
 * @param {{rules: string, options: Options}} chosen
 * @returns {string}
 */
export function rulesText({ rules, options }) {
  return [rules, ...optionTexts(options)].join(';');
}

/**
 * What was shown before, against the rules that are shown now: of the same rules only the options that differ.
 * @param {string} text of the rules before
 * @param {{rules: string, options: Options}} now
 * @param {(option: string) => string} usual the default of an option of these rules
 * @returns {string} such as "onednn, isa avx2", or "kernels blocked"
 */
export function beforeText(text, now, usual) {
  const was = rulesOf(text);
  const same = was.rules === now.rules;
  const names = Object.keys(same ? { ...now.options, ...was.options } : was.options).filter((name) => !same || was.options[name] !== now.options[name]);
  return [...(same ? [] : [was.rules]), ...names.map((name) => `${name} ${was.options[name] ?? usual(name)}`)].join(', ');
}

/**
 * @param {string} text
 * @returns {{rules: string, options: Options}}
 */
export function rulesOf(text) {
  const [rules, ...options] = text.split(';');
  return { rules, options: optionsOf(options) };
}

/**
 * The options as the API takes them.
 * @param {Options} options
 * @returns {Record<string, string | number | boolean>}
 */
export function valuesOf(options) {
  return Object.fromEntries(Object.entries(options).map(([name, text]) => [name, valueOf(text)]));
}

/** @param {string} text */
function valueOf(text) {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
