/**
 * The kinds of layout that a network's drawing tells apart: 'plain' is row-major, 'last' has the channels
 * last, 'blocked' has channels in blocks, 'other' has strides of its own, 'absent' is never in memory, because
 * one kernel computes it and what reads it.
 * @typedef {'plain' | 'last' | 'blocked' | 'other' | 'absent' | 'unknown'} Kind
 */

/** @type {readonly Kind[]} */
export const KINDS = Object.freeze(['plain', 'last', 'blocked', 'other', 'absent', 'unknown']);

/** @typedef {{layout: string | null, kind: Kind, short: string}} Label a layout as the API says that it is drawn: its text, kind and short name */
