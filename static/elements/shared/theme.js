import { kept } from './page/kept.js';

/** @import { Theme } from '../../core/types.js' */

const KEY = 'theme';
/** @typedef {'auto' | 'light' | 'dark'} ThemeChoice */

/**
 * Reads the colours of the style sheets for the canvases.
 * @returns {Theme}
 */
export function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  const background = colour('grid');
  return Object.freeze({
    background,
    text: colour('text'),
    muted: colour('muted'),
    line: colour('line'),
    hatch: colour('hatch'),
    select: colour('select'),
    hover: colour('accent'),
    dark: lightnessOf(background) < 0.5,
    forced: matchMedia('(forced-colors: active)').matches,
    font: style.getPropertyValue('--sans').trim(),
  });
}

/** @returns {ThemeChoice} what the reader chose last */
export function chosenTheme() {
  const choice = kept(KEY);
  return choice === 'light' || choice === 'dark' ? choice : 'auto';
}

/** @param {ThemeChoice} choice */
export function chooseTheme(choice) {
  if (choice === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice;
  kept(KEY, choice);
}

/** @param {string} colour as rgb(…), which registered properties compute to */
function lightnessOf(colour) {
  const [red, green, blue] = (colour.match(/[\d.]+/g) ?? ['255', '255', '255']).map(Number);
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}
