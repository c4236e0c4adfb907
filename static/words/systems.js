/** @typedef {{system: string, title: string, family: string}} Listed a system, its name and its family */

/** @type {readonly Listed[]} in the page's order */
let listed = [];

/**
 * Sets the systems that the page names and groups. Called once, when the page starts.
 * @param {readonly Listed[]} systems
 */
export function listSystems(systems) {
  listed = systems;
}

/**
 * The name of a system; an unknown one keeps the name that the API gives.
 * @param {string} system of the API
 * @returns {string}
 */
export function systemName(system) {
  return listed.find((one) => one.system === system)?.title ?? system;
}

/**
 * Groups systems into families, in the page's order.
 * @param {readonly string[]} systems
 * @returns {{family: string, systems: string[]}[]} without empty families
 */
export function inFamilies(systems) {
  const shown = listed.filter(({ system }) => systems.includes(system));
  const families = new Set(shown.map(({ family }) => family));
  return [...families].map((family) => ({
    family,
    systems: shown.filter((one) => one.family === family).map(({ system }) => system),
  }));
}

/**
 * What is said of several systems, once for all of which it is true.
 * @param {readonly (readonly [string, string])[]} said of each system
 * @returns {{said: string, systems: string[]}[]} systems: their names
 */
export function saidOnce(said) {
  const texts = [...new Set(said.map(([, text]) => text))];
  return texts.map((text) => ({ said: text, systems: said.filter((one) => one[1] === text).map(([system]) => systemName(system)) }));
}
