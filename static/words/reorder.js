/** @import { Move, Schedule, Step } from '../core/schedule/types.js' */
/** @import { Window } from '../core/schedule/lines.js' */
/** @import { Registers } from '../core/schedule/registers.js' */
/** @import { Tensor } from '../core/types.js' */
import { elementsBefore } from '../core/schedule/steps.js';
import { counted, exactText } from './numbers.js';

/**
 * @param {string} memory A or B
 * @param {number} address
 * @param {number} elements
 */
function places(memory, address, elements) {
  return elements === 1 ? `${memory}[${exactText(address)}]` : `${memory}[${exactText(address)} to ${exactText(address + elements - 1)}]`;
}

/**
 * What a step does, in one sentence.
 * @param {Step} step
 * @param {Schedule} schedule
 * @param {Tensor} target
 */
export function stepText({ move, units, unit_bits, source_address, target_address }, { moves, elementBits }, target) {
  const elements = (units * unit_bits) / elementBits;
  const to = places('B', target_address, elements);
  if (source_address === null) return `zeros → ${to}: ${counted(elements, 'place')} of padding`;
  const from = places('A', source_address, elements);
  const { coords } = target.ownerOf(target_address);
  const where = coords ? coords.map((index, dim) => `${target.dims[dim].toLowerCase()}=${exactText(index)}`).join(' ') : '';
  const isRun = moves[move].run !== null && units > 1;
  const what = isRun ? `a run of ${counted(units, 'unit')} of ${unit_bits} bits` : `one unit of ${unit_bits} bits`;
  return `${from} → ${to}: ${what}${where ? `, ${elements === 1 ? '' : 'from '}${where}${elements === 1 ? '' : ' on'}` : ''}`;
}

/**
 * How much of the target is there already.
 * @param {Schedule} schedule
 * @param {number} done the last step that is done
 * @param {number} elements of the target's buffer
 */
export function writtenText(schedule, done, elements) {
  const { copied, zeros } = elementsBefore(schedule, done + 1);
  return `${exactText(copied + zeros)} of ${exactText(elements)} written`;
}

/** @param {Move} move */
export function moveText({ kernel, unit_bits, steps, first, source }) {
  const what = {
    runs: 'copy runs', transpose: 'transpose', elements: 'copy unit by unit', zeros: 'write zeros',
    table: source === null ? 'write zeros, addresses from a table' : 'copy, addresses from tables',
  }[kernel] ?? `copy (${kernel})`;
  return `${what}, units of ${unit_bits}\u00a0bits, ${steps === 1 ? `step\u00a0${exactText(first)}` : `steps\u00a0${exactText(first)}\u00a0to\u00a0${exactText(first + steps - 1)}`}`;
}

/**
 * The index of a loop at a step: of a run all that the step copies.
 * @param {Move} move
 * @param {Step} step
 * @param {number} at the loop
 */
export function counterText({ run, loops, origin }, { indices, units, fill }, at) {
  const index = indices[at];
  if (at === run && units > 1) return `${exactText(index)} to ${exactText(index + units - 1)}`;
  const beyond = !origin && loops[at] && index >= loops[at].extent;
  return `${exactText(index)}${beyond && fill ? ' (zeros)' : ''}`;
}

/**
 * How far a loop steps in both memories.
 * @param {Move} move
 * @param {number} at the loop
 */
export function stridesText({ loops, origin, source }, at) {
  if (origin) return '';
  const { source_stride, target_stride } = loops[at];
  return `${source === null ? '' : `A ${signed(source_stride)}, `}B ${signed(target_stride)}`;
}

/** @param {number} stride */
function signed(stride) {
  return `${stride < 0 ? '−' : '+'}${exactText(Math.abs(stride))}`;
}

/**
 * What the rails and the cells cannot say.
 * @param {{rows: {a: unknown} | null}} ready
 */
export function unmarkedText({ rows }) {
  if (!rows) return 'The loops of B interleave, and it is large: what is written already is not marked.';
  return rows.a ? '' : 'Elements of A share addresses, which are read several times: what is read already is not marked.';
}

/**
 * Which order is drawn, and which order the machine may take.
 * @param {Move} move
 */
export function orderText({ kernel }) {
  if (kernel === 'transpose') {
    return 'The steps are in the plan’s order. The compiled kernel moves the same units tile by tile, in registers; NumPy alone moves them loop by loop.';
  }
  if (kernel === 'table') {
    return 'The steps are in row-major order. The machine copies the same elements in blocks of coordinates, so its order is another.';
  }
  return 'The steps are in the plan’s order. With several threads, each takes a part of it.';
}

/**
 * @param {Registers} registers
 */
export function registersText({ kind, lanes, unit_bits, stages }) {
  // A tile at an edge is not full.
  const kept = stages[0].flat().filter((lane) => lane.kept);
  const rows = new Set(kept.map(({ row }) => row)).size;
  const units = new Set(kept.map(({ column }) => column)).size;
  const rounds = counted(stages.length - 1, stages[0].length === 3 ? 'shuffle' : 'round of interleaving', stages[0].length === 3 ? 'shuffles' : 'rounds of interleaving');
  const what = {
    transpose: `${rows} rows of ${units} units become ${units} rows of ${rows}`,
    interleave: `${rows} rows are interleaved into one run`,
    separate: `one run is separated into ${rows} rows`,
  }[kind];
  return `Registers of 16 bytes, ${lanes} units of ${unit_bits} bits each: ${what} in ${rounds}. A wider register does this in several parts side by side.`;
}

/** What interleaving is, said once. */
export const INTERLEAVING = 'To interleave two registers is to take their units in turn: one of the first, one of the second.';

/**
 * @param {Window} window
 * @param {number} step
 */
export function windowText({ from, whole }, step) {
  const upTo = `step ${exactText(step)}`;
  if (whole) return `Up to ${upTo}, exact.`;
  if (from === step) return `Of ${upTo} alone: this reorder is too long to count from its beginning.`;
  return `From step ${exactText(from)} to ${upTo}: this reorder is too long to count from its beginning.`;
}

/**
 * @param {number} bytes
 */
export function bytesCount(bytes) {
  return `${Number.isInteger(bytes) ? exactText(bytes) : bytes.toFixed(1)} B`;
}
