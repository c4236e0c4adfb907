/**
 * The orders of a walk to choose from: their texts in the state, and their words.
 * @param {readonly string[]} dims
 * @param {boolean} compared whether there is a B
 * @param {string} present order, which is a choice as well
 * @returns {[string, string][]}
 */
export function orderChoices(dims, compared, present) {
  /** @type {[string, string][]} */
  const choices = [
    ['memory', compared ? 'memory A' : 'memory'],
    ...(compared ? /** @type {[string, string][]} */ ([['memory b', 'memory B']]) : []),
    ['logical', 'logical'],
  ];
  const between = dims.every((name) => [...name].length === 1) ? '' : ' ';
  const other = dims.length > 2 ? [dims[0], ...dims.slice(2), dims[1]] : [...dims].reverse();
  const known = choices.some(([value]) => value === present);
  if (!known) choices.push([present, `loops ${present}`]);
  else if (dims.length > 1) choices.push([other.join(between), `loops ${other.join(between)}`]);
  return choices;
}

/**
 * @param {'unknown' | 'twice' | 'missing'} problem
 * @param {string} name of a dimension
 * @param {readonly string[]} dims
 * @returns {string}
 */
export function orderProblem(problem, name, dims) {
  const short = name.length > 20 ? `${name.slice(0, 20)}…` : name;
  if (problem === 'missing') return `${short} is missing.`;
  if (problem === 'twice') return `${short} is there twice.`;
  return `There is no dimension ${short}: they are ${dims.join(', ')}.`;
}
