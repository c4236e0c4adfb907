import { integerJson } from './exact-json.js';
import { parseSteps, stepsJson } from './steps-text.js';

/** @import { TensorFields, FieldName, ReadAnswer } from './types.js' */

/**
 * Rewrites a typed list of sizes as the API reads it: "(2, 64, 3, 3)", "2x64x3x3" and
 * "torch.Size([2, 64, 3, 3])" give "2,64,3,3".
 * Whatever is not a size stays in the text, so that the API's error can name it.
 * @param {string} text
 * @returns {string}
 */
export function shapeQuery(text) {
  return bare(bare(text.trim().replace(/^torch\.Size/, '')))
    .replace(/(\d)\s*[x×*]\s*(?=[-\d])/gi, '$1,')
    .split(/[,;\s]+/)
    .filter((part) => part !== '')
    .join(',');
}

/**
 * How many sizes are typed.
 * @param {string} shape
 */
export function rankOf(shape) {
  return shapeQuery(shape).split(',').filter((size) => size !== '').length;
}

/**
 * Whether a text says strides without sizes, of another rank than the sizes in the fields.
 * @param {Pick<ReadAnswer, 'shape' | 'strides'>} read
 * @param {Readonly<TensorFields>} before
 */
export function isUnsized({ shape, strides }, before) {
  return shape === null && strides !== null && strides.length !== rankOf(before.shape);
}

/**
 * The query of GET /describe for what was typed.
 * @param {TensorFields} fields
 * @returns {URLSearchParams}
 */
export function describeQuery(fields) {
  // The layout is sent as typed, blanks included, so that an error's position is one in the field.
  const query = new URLSearchParams({ shape: shapeQuery(fields.shape), layout: fields.layout });
  if (fields.dtype.trim()) query.set('dtype', fields.dtype.trim());
  if (fields.dims.trim()) query.set('dims', fields.dims.trim());
  if (fields.elements.trim()) query.set('elements', fields.elements.trim());
  return query;
}

/**
 * A Tensor of the API as JSON text. Integers of any length stay exact.
 * @param {TensorFields} fields
 * @returns {string}
 */
export function tensorJson(fields) {
  const parts = [`"shape": ${listJson(shapeQuery(fields.shape))}`, `"layout": ${JSON.stringify(fields.layout)}`];
  if (fields.dtype.trim()) parts.push(`"dtype": ${JSON.stringify(fields.dtype.trim())}`);
  if (fields.dims.trim()) parts.push(`"dims": ${JSON.stringify(fields.dims.trim())}`);
  if (fields.elements.trim()) parts.push(`"elements": ${integerJson(fields.elements.trim())}`);
  return `{${parts.join(', ')}}`;
}

/**
 * The command that gives the same answer in a terminal.
 * @param {string} origin
 * @param {TensorFields} fields
 * @returns {string}
 */
export function describeCurl(origin, fields) {
  const query = describeQuery(fields).toString();
  // These characters are safe in shells and URLs, and easier to read unescaped.
  const bare = query.replace(/%(2C|3A|28|29)/g, (escaped) => decodeURIComponent(escaped));
  return `curl '${origin}/api/v1/describe?${bare}'`;
}

/**
 * The command that takes the steps of a view in a terminal.
 * @param {string} origin
 * @param {TensorFields} fields
 * @returns {string}
 */
export function viewCurl(origin, fields) {
  const body = `{"tensor": ${tensorJson(fields)}, "steps": ${stepsJson(parseSteps(fields.steps).steps)}}`;
  const quoted = body.replaceAll("'", "'\\''");
  return `curl '${origin}/api/v1/view' -H 'Content-Type: application/json' -d '${quoted}'`;
}

/**
 * The field of the page where an error of the API is shown.
 * @param {string} path such as "shape", "tensor.layout.strides" or "window.sizes"
 * @returns {FieldName}
 */
export function fieldOf(path) {
  const parts = path.split(/[.[\]/]/).filter((part) => part !== '' && part !== 'tensor');
  switch (parts[0]) {
    case 'shape':
    case 'dtype':
    case 'dims':
    case 'elements':
    case 'layout':
    case 'steps':
      return parts[0];
    case 'text':
      return 'layout';
    case 'index':
    case 'window':
    case 'offsets':
    case 'sizes':
    case 'output_sizes':
      return 'slice';
    default:
      return 'other';
  }
}

/** @param {string} text without the brackets around it */
function bare(text) {
  return text.trim().replace(/^[([{]\s*/, '').replace(/\s*,?\s*[)\]}]$/, '');
}

/** @param {string} list comma-separated */
function listJson(list) {
  return `[${list === '' ? '' : list.split(',').map(integerJson).join(', ')}]`;
}
