/** @import { Question, LessonAnswer } from '../../api/learn.js' */

/**
 * The value of a whole number, or of a sum of products of such, as `2*4 + 1`.
 * @param {string} text
 * @returns {number | null} null for any other text, and where it is too large to be exact
 */
function sumOf(text) {
  const terms = text.split('+').map((term) => term.split(/[*·×]/).map((factor) => factor.trim()));
  if (!terms.flat().every((factor) => /^-?\d{1,15}$/.test(factor))) return null;
  const sum = terms.reduce((before, factors) => before + factors.reduce((product, factor) => product * Number(factor), 1), 0);
  return Number.isSafeInteger(sum) ? sum : null;
}

/**
 * What was entered, for the kind of a question.
 * @param {Pick<Question, 'kind' | 'dims'>} question
 * @param {FormData} data
 * @returns {{answer: LessonAnswer} | string} the answer, or what is missing
 */
export function answerOf({ kind, dims }, data) {
  const sum = sumOf(String(data.get('number') ?? ''));
  const cells = data.getAll('cell').map(String);
  const chosen = data.getAll('choice').map(String);
  const strides = [...dims].map((_, at) => String(data.get(`stride${at}`) ?? ''));
  switch (kind) {
    case 'number':
      return sum === null ? 'Type a whole number.' : { answer: sum };
    case 'cell':
      return cells.length === 1 ? { answer: cells[0].split(',').map(Number) } : 'Choose a cell first.';
    case 'cells':
      return cells.length > 0 ? { answer: cells.map(Number) } : 'Mark at least one cell.';
    case 'choice':
      return chosen.length === 1 ? { answer: chosen[0] } : 'Choose one of them.';
    case 'several':
      return chosen.length > 0 ? { answer: chosen } : 'Mark at least one of them.';
    case 'strides':
      return strides.every(Boolean) ? { answer: strides.map(Number) } : 'Choose a stride for each dimension.';
  }
}
