import { make } from '../part.js';

const ICONS = Object.freeze({
  play: 'M4 2.5v11l9-5.5z',
  pause: 'M4 2.5h3v11H4zM9 2.5h3v11H9z',
  back: 'M3.5 2.5h2v11h-2zM13 2.5v11L6 8z',
  forward: 'M10.5 2.5h2v11h-2zM3 2.5v11L10 8z',
});

/** @param {keyof typeof ICONS} icon */
export function button(icon) {
  const made = make('button', { type: 'button', class: icon });
  draw(made, icon);
  return made;
}

/**
 * @param {HTMLButtonElement} made
 * @param {keyof typeof ICONS} icon
 */
export function draw(made, icon) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[icon]);
  svg.append(path);
  made.dataset.icon = icon;
  made.replaceChildren(svg);
}

/**
 * @param {HTMLButtonElement} made
 * @param {string} label
 * @param {string} key
 */
export function name(made, label, key) {
  if (made.getAttribute('aria-label') === label) return;
  made.setAttribute('aria-label', label);
  made.title = `${label} (${key})`;
}

/**
 * @param {HTMLButtonElement} made
 * @param {boolean} off
 */
export function disable(made, off) {
  made.setAttribute('aria-disabled', String(off));
}
