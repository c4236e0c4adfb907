const PREFIX = /^\s*([a-z]\w*)\s*:(?!:)/i;

/** @returns {HTMLOptionElement[]} systems with name and family, as the server wrote them into the page; none under node */
function known() {
  if (typeof document === 'undefined') return [];
  return [.../** @type {NodeListOf<HTMLOptionElement>} */ (document.querySelectorAll('#systems option'))];
}

/**
 * The name of a system; an unknown one keeps the name that the API gives.
 * @param {string} system of the API
 * @returns {string}
 */
export function systemName(system) {
  return known().find(({ value }) => value === system)?.label ?? system;
}

/**
 * Groups systems into families, in the page's order.
 * @param {readonly string[]} systems
 * @returns {{family: string, systems: string[]}[]} without empty families
 */
export function inFamilies(systems) {
  const shown = known().filter(({ value }) => systems.includes(value));
  const families = new Set(shown.map(({ dataset }) => dataset.family ?? ''));
  return [...families].map((family) => ({
    family,
    systems: shown.filter(({ dataset }) => dataset.family === family).map(({ value }) => value),
  }));
}

/**
 * The system before the colon of a text such as "tvm:NCHW4c"; null where there is no such prefix.
 * @param {string} text
 * @returns {string | null}
 */
export function forcedSystem(text) {
  return PREFIX.exec(text)?.[1].toLowerCase() ?? null;
}
