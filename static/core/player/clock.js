/**
 * A moment of a player: a step, and the part of it that has passed. At rest the part is 1.
 * @typedef {{step: bigint, part: number}} Moment
 */

/** Seconds in which the speed 'all' plays all steps. */
const ALL_S = 20;

/**
 * The moment some time later. Many steps may pass between two frames.
 * @param {Moment} moment
 * @param {{steps: bigint, speed: number | 'all', passed_ms: number}} play speed in steps a second
 * @returns {Moment & {ended: boolean}}
 */
export function advanced(moment, { steps, speed, passed_ms }) {
  const perSecond = speed === 'all' ? Math.max(1, Number(steps) / ALL_S) : speed;
  const passed = moment.part + (perSecond * passed_ms) / 1000;
  const whole = Math.max(0, Math.ceil(passed) - 1);
  const step = moment.step + BigInt(whole);
  const last = steps - 1n;
  if (step > last || (step === last && passed - whole >= 1)) return { step: last, part: 1, ended: true };
  return { step, part: passed - whole, ended: false };
}

/**
 * How many bits a scrubber leaves out: its values are floating-point numbers, exact up to 2^53.
 * @param {bigint} steps
 */
function coarseBits(steps) {
  let bits = 0n;
  while ((steps - 1n) >> bits > BigInt(Number.MAX_SAFE_INTEGER)) bits += 1n;
  return bits;
}

/**
 * The value of a scrubber at a step. The largest value is that of the last step.
 * @param {bigint} step
 * @param {bigint} steps
 */
export function scrubberAt(step, steps) {
  return Number(step >> coarseBits(steps));
}

/**
 * The step at a value of the scrubber.
 * @param {number} value
 * @param {bigint} steps
 */
export function stepAt(value, steps) {
  const bits = coarseBits(steps);
  const last = steps - 1n;
  const step = BigInt(Math.trunc(value)) << bits;
  return value >= Number(last >> bits) ? last : step;
}

/**
 * Reads a step that was typed. Spaces, commas and underscores between the digits are allowed.
 * @param {string} text
 * @param {bigint} steps
 * @returns {bigint | null} the nearest step that there is; null where the text is no number
 */
export function typedStep(text, steps) {
  const digits = text.trim().replace(/(?<=\d)[\s,_'’](?=\d)/g, '');
  if (!/^-?\d{1,40}$/.test(digits)) return null;
  const step = BigInt(digits);
  if (step < 0n) return 0n;
  return step < steps ? step : steps - 1n;
}
