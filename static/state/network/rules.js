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
