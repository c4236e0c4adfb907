import { counted, sizesText } from '../../words/numbers.js';
import { make, makeButton } from './part.js';

/** @import { SafeTensor } from '../../core/files/safetensors.js' */

const MOST_ROWS = 100;
const FEW = 12;

/**
 * The tensors of a file to choose from: names, sizes and types, with a filter where they are many.
 * @param {string} file
 * @param {readonly SafeTensor[]} tensors
 * @param {{choose: (tensor: SafeTensor) => void, close: () => void}} host
 * @returns {Node[]}
 */
export function tensorShelf(file, tensors, { choose, close }) {
  const title = `${file} contains ${counted(tensors.length, 'tensor')}.`;
  const closing = makeButton(['Close the list'], close, { class: 'quiet' });
  const list = make('ul', { 'aria-label': `Tensors of ${file}` });
  const more = make('p', { role: 'status' });
  const filter = make('input', { type: 'text', 'aria-label': 'Part of the name', placeholder: 'part of the name', spellcheck: 'false', autocomplete: 'off' });

  const fill = () => {
    const part = filter.value.trim().toLowerCase();
    const found = tensors.filter(({ name }) => name.toLowerCase().includes(part));
    list.replaceChildren(...found.slice(0, MOST_ROWS).map((tensor) => make('li', {}, [row(tensor, list, choose)])));
    const left = found.length - MOST_ROWS;
    more.textContent = left > 0 ? `${left} more: type a part of the name.` : found.length === 0 ? 'No tensor has this name.' : '';
  };
  filter.addEventListener('input', fill);
  fill();
  const head = make('div', { class: 'head' }, [make('p', { role: 'status' }, [title]), closing]);
  return [head, ...(tensors.length > FEW ? [filter] : []), list, more];
}

/**
 * @param {SafeTensor} tensor
 * @param {HTMLElement} list
 * @param {(tensor: SafeTensor) => void} choose
 */
function row(tensor, list, choose) {
  const { name, shape, dtype, type } = tensor;
  const sizes = sizesText(shape.map(String));
  const parts = [make('b', {}, [name]), ` ${sizes} `, make('span', {}, [dtype ?? type])];
  if (dtype === null) return make('p', { class: 'unread' }, [...parts, ': the type is not supported']);
  const choosing = () => {
    for (const other of list.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === button));
    choose(tensor);
  };
  const button = makeButton(parts, choosing, { 'aria-pressed': 'false' });
  return button;
}
