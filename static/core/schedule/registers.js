/** @import { Move, Step } from './types.js' */

const REGISTER_BITS = 128;

/**
 * One unit in a register, by its addresses in elements. `source` is null for a zero of padding; `kept`
 * is false for what the kernel reads and does not store.
 * @typedef {{row: number, column: number, source: number | null, target: number, kept: boolean}} Lane
 *
 * What a transposition does with the registers of one tile. `stages`: the registers before the first
 * interleaving, and after each; each register is an array of lanes.
 * @typedef {object} Registers
 * @property {'transpose' | 'interleave' | 'separate'} kind rows to columns; a few rows into one run; one run into a few rows
 * @property {number} lanes units in a register of 16 bytes
 * @property {number} unit_bits
 * @property {readonly (readonly (readonly Lane[])[])[]} stages
 */

/**
 * The registers in which the compiled kernel holds a step's unit; null where it does not transpose. The plan
 * says what the kernel does; wider registers do the same side by side.
 * @param {Move} move
 * @param {Step} step of the move
 * @returns {Registers | null}
 */
export function registersOf(move, { indices }) {
  const lanes = REGISTER_BITS / move.unit_bits;
  if (!move.registers || move.source === null) return null;
  const { way, along, chain } = move.registers;
  if (way === 'separate') return separate(move, indices, along, chain[0], lanes);
  const { extent: length, target_stride: pitch } = move.loops[along];
  const count = Number(move.registers.rows);
  const interleaves = way === 'interleave';
  const rows = interleaves ? count : lanes;
  const first = interleaves ? 0 : firstOf(rowOf(move, chain, indices), count, lanes);
  const left = firstOf(indices[along], length, lanes);
  const base = baseOf(move, indices, [along, ...chain]);
  const loaded = Array.from({ length: rows }, (_, r) => Array.from({ length: lanes }, (_, c) => {
    const row = first + r;
    const column = left + c;
    const place = row < count ? distanceOf(move, chain, row) : { source: 0, fill: false };
    const source = (base.source + place.source + column) * move.unitElements;
    const target = (base.target + row + column * pitch) * move.unitElements;
    return { row, column, source: place.fill ? null : source, target, kept: row < count && column < length };
  }));
  return { kind: way, lanes, unit_bits: move.unit_bits, stages: stagesOf(loaded, interleaved) };
}

/**
 * @param {number} index
 * @param {number} count
 * @param {number} lanes
 * @returns {number} where its group begins; the last group overlaps the one before
 */
function firstOf(index, count, lanes) {
  return Math.max(0, Math.min(index - (index % lanes), count - lanes));
}

/**
 * @param {Move} move
 * @param {readonly number[]} chain
 * @param {readonly number[]} indices
 */
function rowOf({ loops }, chain, indices) {
  let row = 0;
  let place = 1;
  for (const at of chain) {
    row += indices[at] * place;
    place *= loops[at].extent + loops[at].fill;
  }
  return row;
}

/**
 * @param {Move} move
 * @param {readonly number[]} chain
 * @param {number} row
 * @returns {{source: number, fill: boolean}} units from the first row, and whether it is padding
 */
function distanceOf({ loops }, chain, row) {
  let source = 0;
  let fill = false;
  let rest = row;
  for (const at of chain) {
    const { extent, fill: zeros, source_stride } = loops[at];
    const index = rest % (extent + zeros);
    rest = Math.floor(rest / (extent + zeros));
    source += index * source_stride;
    fill ||= index >= extent;
  }
  return { source, fill };
}

/**
 * @param {Move} move
 * @param {readonly number[]} indices
 * @param {readonly number[]} without loops that count from 0
 * @returns {{source: number, target: number}} in units
 */
function baseOf({ source, target, loops }, indices, without) {
  const base = { source: source ?? 0, target };
  for (const [at, { source_stride, target_stride }] of loops.entries()) {
    if (without.includes(at)) continue;
    base.source += indices[at] * source_stride;
    base.target += indices[at] * target_stride;
  }
  return base;
}

/**
 * @param {Move} move
 * @param {readonly number[]} indices
 * @param {number} along
 * @param {number} inner
 * @param {number} lanes
 * @returns {Registers}
 */
function separate(move, indices, along, inner, lanes) {
  const { extent: length, target_stride: pitch } = move.loops[along];
  const { extent: count, source_stride: apart } = move.loops[inner];
  const base = baseOf(move, indices, [along, inner]);
  const first = firstOf(indices[inner], count, lanes);
  const loaded = Array.from({ length: apart }, (_, register) => Array.from({ length: lanes }, (_, lane) => {
    const unit = register * lanes + lane;
    const row = unit % apart;
    const column = first + Math.floor(unit / apart);
    const source = (base.source + first * apart + unit) * move.unitElements;
    const target = (base.target + row * pitch + column) * move.unitElements;
    return { row, column, source, target, kept: row < length && column < count };
  }));
  return { kind: 'separate', lanes, unit_bits: move.unit_bits, stages: stagesOf(loaded, separated) };
}

/**
 * @template T
 * @param {T[][]} loaded
 * @param {(rows: T[][], apart: boolean) => T[][]} round
 * @returns {T[][][]}
 */
function stagesOf(loaded, round) {
  const stages = [loaded];
  const rounds = loaded.length === 3 ? 1 : Math.log2(loaded.length);
  for (let at = 0; at < rounds; at += 1) {
    const rows = stages[at];
    stages.push(rows.length === 3 ? three(rows, round === separated) : round(rows, false));
  }
  return stages;
}

/**
 * One round: each register of the upper half is interleaved with one of the lower half.
 * @template T
 * @param {T[][]} rows
 * @returns {T[][]}
 */
function interleaved(rows) {
  const half = rows.length / 2;
  const lanes = rows[0].length;
  return rows.slice(0, half).flatMap((row, at) => {
    const mixed = row.flatMap((unit, lane) => [unit, rows[at + half][lane]]);
    return [mixed.slice(0, lanes), mixed.slice(lanes)];
  });
}

/**
 * The inverse of a round: the even and the odd units of each pair of neighbours.
 * @template T
 * @param {T[][]} rows
 * @returns {T[][]}
 */
function separated(rows) {
  const half = rows.length / 2;
  const pairs = Array.from({ length: half }, (_, at) => [...rows[2 * at], ...rows[2 * at + 1]]);
  return [0, 1].flatMap((parity) => pairs.map((units) => units.filter((_, at) => at % 2 === parity)));
}

/**
 * Three registers in one step: interleaved into one run of units, or such a run taken apart.
 * @template T
 * @param {T[][]} rows
 * @param {boolean} apart
 * @returns {T[][]}
 */
function three(rows, apart) {
  const lanes = rows[0].length;
  const units = rows.flat();
  return [0, 1, 2].map((register) => Array.from({ length: lanes }, (_, lane) => {
    const mixed = register * lanes + lane;
    return units[apart ? 3 * lane + register : (mixed % 3) * lanes + Math.floor(mixed / 3)];
  }));
}
