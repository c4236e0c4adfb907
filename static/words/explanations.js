/** @import { Description, FormatName } from '../api/types.js' */

/** The systems with the best known names, in the order of mention. */
const SYSTEMS_FIRST = ['pytorch', 'letters', 'onednn'];
const CHANNELS_LAST = ['channels_last', 'channels_last_3d'];
/** Where a layout comes from that asks for no format: strides, or a view. */
const UNNAMED = ['strides', 'numpy', null];

/**
 * Explains why several names fit the same layout, each cause once, and why PyTorch calls a tensor
 * channels_last whether or not anyone asked for it.
 * @param {Description} description
 * @returns {string[]} sentences
 */
export function explanations(description) {
  const unasked = unaskedChannelsLast(description);
  return [...sharedNames(description.names), ...(unasked ? [unasked] : [])];
}

/** @param {Description['names']} names */
function sharedNames(names) {
  /** @type {Map<string, string[][]>} by cause: the names of each system */
  const causes = new Map();
  const rest = Object.keys(names).filter((system) => !SYSTEMS_FIRST.includes(system));
  for (const system of [...SYSTEMS_FIRST, ...rest]) {
    for (const [cause, list] of byCause(names[system] ?? [])) {
      const others = (causes.get(cause) ?? []).filter((other) => !other.every((name) => list.includes(name)));
      causes.set(cause, [...others, list]);
    }
  }
  // Two systems are enough as examples.
  return [...causes].map(
    ([cause, [first, second]]) =>
      `${cause}: ${inWords(first)} are the same memory here${second ? `, and so are ${inWords(second)}` : ''}.`,
  );
}

/**
 * The names of one system that have rivals, grouped by cause. Where a group has one name only, its
 * rivals are added.
 * @param {readonly FormatName[]} names
 * @returns {[string, string[]][]}
 */
function byCause(names) {
  /** @type {Map<string, FormatName[]>} */
  const groups = new Map();
  for (const name of names) {
    if (name.cause === null) continue;
    const cause = causeText(name);
    groups.set(cause, [...(groups.get(cause) ?? []), name]);
  }
  return [...groups].map(([cause, group]) => {
    const own = group.map(({ name }) => name);
    return [cause, own.length > 1 ? own : [...own, ...group[0].rivals]];
  });
}

/** @param {FormatName} name */
function causeText({ cause, ones }) {
  if (cause !== 'size_one') return 'With these sizes';
  const [verb, stride] = ones.length === 1 ? ['has', 'its stride does'] : ['have', 'their strides do'];
  return `${ones.join(', ')} ${verb} size 1 and ${stride} not count`;
}

/** @param {readonly string[]} names at least two */
function inWords(names) {
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

/**
 * @param {Description} description
 * @returns {string | null}
 */
function unaskedChannelsLast({ names, shape, dims, strides, system }) {
  const pytorch = (names.pytorch ?? []).map(({ name }) => name);
  const format = CHANNELS_LAST.find((name) => pytorch.includes(name));
  if (!format || !strides || pytorch.includes('contiguous_format') || !UNNAMED.includes(system)) return null;
  const letters = [...dims];
  const steps = letters
    .map((letter, dim) => ({ letter, step: strides[dim], size: Number(shape[dim]) }))
    .filter(({ size }) => size > 1)
    .sort((one, other) => Number(BigInt(one.step) - BigInt(other.step)))
    .map(({ letter, step }) => `${letter} ${step}`);
  const [batch, channels, ...space] = shape;
  const order = ['0', String(letters.length - 1), ...space.map((_, at) => String(at + 1))];
  return (
    `PyTorch calls this ${format} whether or not anyone asked for it: the rule reads the strides alone, ` +
    `${steps.join(' < ')}, not how the tensor came about. A tensor of (${[batch, ...space, channels].join(', ')}) ` +
    `permuted by (${order.join(', ')}) has them too.`
  );
}
