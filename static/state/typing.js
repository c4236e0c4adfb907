/** @import { Side } from './types.js' */
/** @typedef {keyof import('../api/types.js').TensorFields} TypedName */
/** @typedef {{side: Side, name: TypedName}} TypedField */

/** A pause of this length is no longer one between two keys. */
export const REST_MS = 900;

/** Which field is being typed into, and whether the typing rests. */
export class Typing {
  /** @type {Readonly<TypedField> | null} the field that was typed into last; null after a change of the whole state */
  field = null;
  /** True if what is wrong since is due to this field: all was right before it was typed into. */
  blamed = false;
  /** True after a pause, and wherever nobody types. */
  resting = true;
  /** True once the field was left, or finished with Enter. */
  left = true;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #rested;

  /** @param {() => void} rested called after a pause, and when the field is left */
  constructor(rested) {
    this.#rested = rested;
  }

  /**
   * A key was typed.
   * @param {TypedField} field
   * @param {boolean} right whether all fields were right before it
   */
  key(field, right) {
    if (field.side !== this.field?.side || field.name !== this.field.name) {
      this.field = Object.freeze(field);
      this.blamed = right;
    } else if (right) {
      this.blamed = true;
    }
    this.left = false;
    this.resting = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#rest(), REST_MS);
  }

  /** The field was left: what stands there is meant. */
  leave() {
    if (this.left) return;
    this.left = true;
    this.#rest();
  }

  /** The fields were filled by something else than typing. */
  end() {
    clearTimeout(this.#timer);
    this.field = null;
    this.blamed = false;
    this.left = true;
    this.resting = true;
  }

  #rest() {
    clearTimeout(this.#timer);
    this.resting = true;
    this.#rested();
  }
}
