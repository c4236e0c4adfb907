/**
 * A network as it is drawn. Types only: nothing here runs. Lengths are in the drawing's units.
 *
 * @typedef {import('./kinds.js').Kind} Kind
 *
 * @typedef {object} Box one thing that is drawn
 * @property {number} at its number
 * @property {'input' | 'node' | 'fold' | 'reorder'} kind
 * @property {string} name
 * @property {number} first number of its first node, or of the reorder
 * @property {number} last number of its last node
 * @property {number} x middle
 * @property {number} y
 * @property {number} layer
 * @property {number} width
 * @property {number} height
 * @property {string} title
 * @property {string} detail the second line
 * @property {string} lost the format that is lost here; empty where none is
 * @property {boolean} moves whether it reads and writes itself to change layouts
 * @property {boolean} changed whether it differs from what was shown before
 * @property {boolean} foldable whether it is a block, or belongs to one that was unfolded
 *
 * @typedef {object} Line a tensor on its way
 * @property {string} tensor
 * @property {number} source number of a box
 * @property {number} target
 * @property {readonly (readonly [number, number])[]} points
 * @property {Kind} kind
 * @property {string} label
 * @property {boolean} labelled whether the label is written at it: once for each of a node's
 * @property {boolean} changed
 * @property {string} href its memory in the explorer; empty where that is not known
 *
 * @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {readonly Box[]} boxes
 * @property {readonly Line[]} lines
 */
export {};
