/** @import { Painter } from '../types.js' */
import { fromWord, mix, parseColour, SHADES, toWord } from '../../core/palette.js';
import { bandsOf, RUN, samplesAt, SAMPLES } from '../../core/strip/line.js';

/** Parts of one place that are looked at, where each look is a search. */
const SEARCHED_SAMPLES = 8;
/** How much of an element's colour is covered when it has been read. */
const READ_PART = 0.68;

/**
 * The colours of a whole memory on a line of equal places: the mean of what a place stands for; by block, where the mean
 * of all channels of a block would be the same everywhere. They are made in slices, so that no frame waits for them.
 */
export class StripColours {
  /** RGBA, one per place. @type {Uint32Array} */
  words;
  #made = 0;
  #samples;
  #counts;
  #steps;
  #starts = new Float64Array(SAMPLES);
  #run = new Uint32Array(RUN);
  #shown = new Uint32Array(SAMPLES);

  /**
   * @param {Painter} painter of the memory
   * @param {number} places
   * @param {((address: number) => number) | null} stepOf the step that copies an address, -1 for none
   */
  constructor(painter, places, stepOf) {
    this.#painter = painter;
    this.#stepOf = stepOf;
    this.words = new Uint32Array(places);
    this.#samples = new Uint32Array(places * SAMPLES);
    this.#counts = new Uint8Array(places);
    this.#steps = stepOf ? new Float64Array(places * SAMPLES) : null;
    this.#back = toWord(parseColour(painter.theme.background));
    this.#bands = stepOf === null && mixesChannels(painter, places) ? bandsOf(painter.tensor) : null;
  }

  #painter;
  #stepOf;
  #back;
  #bands;

  /**
   * @param {number} address where a run begins
   * @param {number} run its addresses
   */
  #wordOf(address, run) {
    const vacant = this.#painter.paintAddresses(address, 1, run, this.#run, 0, 0, false);
    if (this.#bands === null || vacant !== 0) return run === 1 ? this.#run[0] : meanOf(this.#run, 0, run, this.#back);
    const place = (address - this.#bands.first) / this.#bands.stride;
    return this.#painter.wordAt(Math.floor(place), Math.floor((place % 1) * SHADES), 0);
  }

  get done() {
    return this.#made === this.words.length;
  }

  /** What the colour of a place says, in a few words; nothing where it tells how far a reorder is. */
  get legend() {
    const { loops, dims, bufferElements } = this.#painter.tensor;
    if (this.#stepOf) return '';
    if (this.#bands) return `colour: block of ${dims[loops[0].dim].toLowerCase()}`;
    return bufferElements > this.words.length ? 'colour: mean of its cells' : 'colour: as its cell';
  }

  /** @param {number} places how many more to make */
  advance(places) {
    const end = Math.min(this.words.length, this.#made + places);
    for (; this.#made < end; this.#made += 1) {
      const place = this.#made;
      const found = samplesAt(place, this.words.length, this.#painter.tensor.bufferElements, this.#starts);
      const run = this.#painter.searches ? 1 : found.run;
      const every = this.#painter.searches ? Math.ceil(found.count / SEARCHED_SAMPLES) : 1;
      const count = Math.ceil(found.count / every);
      this.#counts[place] = count;
      for (let at = place * SAMPLES, index = 0; index < found.count; at += 1, index += every) {
        this.#samples[at] = this.#wordOf(this.#starts[index], run);
        if (this.#steps && this.#stepOf) this.#steps[at] = this.#stepOf(this.#starts[index]);
      }
      this.words[place] = meanOf(this.#samples, place * SAMPLES, count, this.#back);
    }
  }

  /**
   * The colours at a moment of a reorder: what is not written yet is background; what has been read is covered.
   * @param {number} done the last step that is done
   * @param {'a' | 'b'} side read or written
   */
  at(done, side) {
    const steps = /** @type {Float64Array} */ (this.#steps);
    for (let place = 0; place < this.#made; place += 1) {
      const first = place * SAMPLES;
      const count = this.#counts[place];
      let covered = 0;
      for (let at = first; at < first + count; at += 1) {
        const hides = side === 'b' ? steps[at] > done : steps[at] >= 0 && steps[at] <= done;
        if (hides) covered += 1;
        this.#shown[at - first] = hides && side === 'b' ? this.#back : this.#samples[at];
      }
      const mean = meanOf(this.#shown, 0, count, this.#back);
      this.words[place] = side === 'b' ? mean : blend(mean, this.#back, (covered / count) * READ_PART);
    }
  }
}

/**
 * Whether each place of a strip stands for all channels of a block, which lie side by side.
 * @param {Painter} painter
 * @param {number} places
 */
function mixesChannels({ tensor: { loops, bufferElements }, plan, masks, unit }, places) {
  const [outermost, pixel] = [loops[0], loops[loops.length - 1]];
  const byChannel = plan.scale === 'categories' && plan.dim === pixel?.dim && masks.length === 0 && !unit;
  return byChannel && outermost.weight > 1 && pixel.stride * pixel.extent * places <= bufferElements;
}

/**
 * @param {Uint32Array} words 0 is the background
 * @param {number} from
 * @param {number} count
 * @param {number} back
 */
function meanOf(words, from, count, back) {
  let red = 0;
  let green = 0;
  let blue = 0;
  for (let at = from; at < from + count; at += 1) {
    const word = words[at] || back;
    red += word & 255;
    green += (word >> 8) & 255;
    blue += (word >> 16) & 255;
  }
  return toWord([Math.round(red / count), Math.round(green / count), Math.round(blue / count)]);
}

/**
 * @param {number} word
 * @param {number} back
 * @param {number} share of the background
 */
function blend(word, back, share) {
  return toWord(mix(fromWord(word), fromWord(back), share));
}
