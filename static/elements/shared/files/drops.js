import { find, make } from '../part.js';

/** Which page reads a file, by the ending of its name. */
const READERS = Object.freeze([
  { ending: /\.(onnx|json)$/i, page: 'network', what: 'a network' },
  { ending: /\.(log|txt)$/i, page: 'run', what: 'perhaps the log of a run' },
  { ending: /\.(npy|safetensors|png|jpe?g)$/i, page: 'explorer', what: 'an array or a picture' },
]);

/**
 * The offer of another page, for a file that this one does not read.
 * @param {File} file
 * @returns {(string | Node)[] | null} null where no other page reads it
 */
export function otherReader({ name }) {
  const reader = READERS.find(({ ending }) => ending.test(name));
  const link = reader && document.querySelector(`nav a[data-page=${reader.page}]:not([aria-current])`);
  if (!reader || !(link instanceof HTMLAnchorElement)) return null;
  const path = new URL(link.href).pathname;
  return [`${name} is ${reader.what}: open it on the page `, make('a', { href: path }, [link.textContent ?? path]), '.'];
}

/**
 * Opens files that are dropped anywhere on the page, and says while one is dragged what may be dropped.
 * @param {(file: File) => void} open
 * @param {AbortSignal} signal
 */
export function watchDrops(open, signal) {
  const hint = find(document, '.drop-hint', HTMLElement);
  /** @param {DragEvent} event */
  const over = (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    hint.hidden = false;
  };
  /** @param {DragEvent} event */
  const drop = (event) => {
    const file = event.dataTransfer?.files[0];
    hint.hidden = true;
    if (!file) return;
    event.preventDefault();
    open(file);
  };
  document.addEventListener('dragover', over, { signal });
  document.addEventListener('dragleave', (event) => { hint.hidden ||= event.relatedTarget === null; }, { signal });
  document.addEventListener('drop', drop, { signal });
}
