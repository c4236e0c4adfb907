import { shape } from './picture.js';

/** @import { Scene } from '../../core/network/types.js' */

/** What a style sheet may say of SVG's parts; each is inherited, and an attribute of SVG too. */
const STYLES = Object.freeze([
  'fill', 'stroke', 'stroke-width', 'stroke-linejoin', 'stroke-dasharray', 'stroke-opacity', 'paint-order', 'font-family', 'font-size',
  'font-weight', 'text-anchor', 'dominant-baseline',
]);
const SVG = 'http://www.w3.org/2000/svg';
const MARGIN = 16;
/** The longest side of a picture, in pixels: browsers draw no larger ones. */
const MOST_PIXELS = 8192;

/**
 * The drawing as a file of its own: what the style sheet says is written into it.
 * @param {SVGSVGElement} svg the page's
 * @param {Scene} scene
 * @param {string} ground the colour behind it
 * @returns {string} SVG
 */
export function svgText(svg, scene, ground) {
  // Text that is left out from far away is in the file.
  const { className, style } = svg;
  const seen = [className.baseVal, style.cssText];
  [className.baseVal, style.cssText] = ['', ''];
  const copy = styled(svg);
  [className.baseVal, style.cssText] = seen;
  const [width, height] = [scene.width, scene.height].map((size) => String(Math.ceil(size + 2 * MARGIN)));
  const place = { x: String(-MARGIN), y: String(-MARGIN), width, height };
  copy.firstElementChild?.removeAttribute('transform');
  copy.prepend(shape('rect', { ...place, fill: ground, stroke: 'none' }));
  const sizes = { xmlns: SVG, width, height, viewBox: Object.values(place).join(' ') };
  for (const [name, value] of Object.entries(sizes)) copy.setAttribute(name, value);
  return new XMLSerializer().serializeToString(copy);
}

/**
 * A copy with its styles as attributes. What only the pointer meets is left out.
 * @param {Element} drawn
 * @param {CSSStyleDeclaration} [around] the styles that are inherited
 * @returns {Element}
 */
function styled(drawn, around) {
  const style = getComputedStyle(drawn);
  const copy = /** @type {Element} */ (drawn.cloneNode(false));
  for (const name of ['class', 'tabindex', 'href', 'aria-hidden']) copy.removeAttribute(name);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value !== around?.getPropertyValue(name)) copy.setAttribute(name, value);
  }
  const parts = [...drawn.childNodes].filter((each) => !(each instanceof Element && each.matches('.hit, .half, .short')));
  copy.append(...parts.map((each) => (each instanceof Element ? styled(each, style) : each.cloneNode())));
  return copy;
}

/**
 * An SVG as a PNG, twice as fine as it is drawn.
 * @param {string} text
 * @param {Scene} scene
 * @param {string} ground
 * @returns {Promise<Blob>}
 * @throws {Error} where the browser cannot draw it
 */
export async function pngOf(text, scene, ground) {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
  try {
    image.src = url;
    await image.decode();
    const scale = Math.min(2, MOST_PIXELS / Math.max(scene.width, scene.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.ceil((scene.width + 2 * MARGIN) * scale);
    canvas.height = Math.ceil((scene.height + 2 * MARGIN) * scale);
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This browser draws no pictures.');
    context.fillStyle = ground;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
    if (!(blob instanceof Blob)) throw new Error('The picture is too large for this browser.');
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/**
 * The drawing as a flowchart of Mermaid: its boxes, reorders and folded blocks too, and layouts at the edges.
 * @param {Scene} scene
 * @returns {string}
 */
export function mermaidText({ boxes, lines }) {
  const shapes = { input: ['([', '])'], node: ['[', ']'], fold: ['[[', ']]'], reorder: ['{{', '}}'] };
  const made = boxes.map(({ at, kind, title, name, detail }) => {
    const [open, close] = shapes[kind];
    const text = kind === 'node' ? [name, title] : [title, detail];
    return `  n${at}${open}"${text.map(quoted).join('<br/>')}"${close}`;
  });
  const ways = lines.map(({ source, target, label }) => `  n${source} -->|"${quoted(label)}"| n${target}`);
  return ['flowchart TD', ...made, ...ways, ''].join('\n');
}

/** @param {string} text */
function quoted(text) {
  return text.replaceAll('&', '#amp;').replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('>', '#gt;');
}
