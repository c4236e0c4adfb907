/** @typedef {import('../api/types.js').Description} Description */

const SYSTEMS_FIRST = ['pytorch', 'letters', 'onednn'];
const ALSO_FITS = /^(.*), so .* fits? as well$/;
const ONE_WORD = /^\s*(?:[a-z]\w*\s*:)?\s*[a-z_]\w*\s*$/i;

/**
 * Why several names fit the same digits, each cause once, and why a tensor is channels_last
 * though nobody asked for it.
 * @param {Description} description
 * @param {string} typed layout
 * @returns {string[]} sentences
 */
export function explanations(description, typed) {
  const unasked = unaskedChannelsLast(description, typed);
  return [...sharedNames(description.names), ...(unasked ? [unasked] : [])];
}

/** @param {Description['names']} names */
function sharedNames(names) {
  /** @type {Map<string, string[]>} a cause and the names it joins, system by system */
  const causes = new Map();
  const rest = Object.keys(names).filter((system) => !SYSTEMS_FIRST.includes(system));
  for (const system of [...SYSTEMS_FIRST, ...rest]) {
    const open = (names[system] ?? []).filter(({ reason }) => reason !== null);
    for (const cause of new Set(open.map(({ reason }) => causeOf(reason ?? '')))) {
      const joined = open.filter(({ reason }) => causeOf(reason ?? '') === cause).map(({ name }) => name);
      const lists = causes.get(cause) ?? [];
      if (joined.length > 1) lists.push(inWords(joined));
      causes.set(cause, lists);
    }
  }
  return [...causes].map(([cause, [first, second]]) => {
    if (!first) return `${cause}.`;
    return `${cause}: ${first} are the same memory here${second ? `, and so are ${second}` : ''}.`;
  });
}

/** @param {string[]} names */
function inWords(names) {
  return `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;
}

/** @param {string} reason of the API, for one name */
function causeOf(reason) {
  if (reason.startsWith('with these sizes')) return 'With these sizes';
  return ALSO_FITS.exec(reason)?.[1] ?? reason;
}

/**
 * @param {Description} description
 * @param {string} typed
 * @returns {string | null}
 */
function unaskedChannelsLast({ names, shape, dims, strides }, typed) {
  const pytorch = (names.pytorch ?? []).map(({ name }) => name);
  const format = pytorch.find((name) => name.startsWith('channels_last'));
  if (!format || !strides || pytorch.includes('contiguous_format') || ONE_WORD.test(typed)) return null;
  const letters = [...dims];
  const steps = letters
    .map((letter, dim) => ({ letter, step: strides[dim], size: Number(shape[dim]) }))
    .filter(({ size }) => size > 1)
    .sort((one, other) => Number(BigInt(one.step) - BigInt(other.step)))
    .map(({ letter, step }) => `${letter} ${step}`);
  const [batch, channels, ...space] = shape;
  const order = ['0', String(letters.length - 1), ...space.map((_, at) => String(at + 1))];
  return (
    `PyTorch calls this ${format} though nobody asked for it: the rule reads the strides alone, ` +
    `${steps.join(' < ')}, not how the tensor came about. A tensor of (${[batch, ...space, channels].join(', ')}) ` +
    `permuted by (${order.join(', ')}) has them too.`
  );
}
