/** @type {Readonly<Record<string, string>>} the name of each system on the page */
const NAMES = Object.freeze({
  letters: 'letters',
  onednn: 'oneDNN',
  megengine: 'MegEngine',
  cudnn: 'cuDNN',
  tensorrt: 'TensorRT',
  tvm: 'TVM',
  onnxruntime: 'ONNX Runtime',
  strides: 'strides',
  pytorch: 'PyTorch',
  numpy: 'NumPy',
  directml: 'DirectML',
  cute: 'CuTe',
  xla: 'XLA',
  mlir: 'MLIR',
  c: 'C index',
  python: 'Python index',
});

/** @type {readonly (readonly [string, readonly string[]])[]} kinds of notation, as they are grouped on the page */
const FAMILIES = Object.freeze([
  ['Formats', ['letters', 'onednn', 'tvm', 'megengine', 'onnxruntime', 'tensorrt', 'cudnn']],
  ['Strides', ['strides', 'pytorch', 'numpy', 'directml']],
  ['Compilers', ['cute', 'xla', 'mlir']],
  ['Index expressions', ['c', 'python']],
]);

const PREFIX = /^\s*([a-z]\w*)\s*:(?!:)/i;

/**
 * The name of a system; an unknown one keeps the name that the API gives.
 * @param {string} system of the API
 * @returns {string}
 */
export function systemName(system) {
  return NAMES[system] ?? system;
}

/**
 * Groups systems into families. Systems of no family come last, so that a new one is shown too.
 * @param {readonly string[]} systems
 * @returns {{family: string, systems: string[]}[]} without empty families
 */
export function inFamilies(systems) {
  const known = FAMILIES.map(([family, members]) => ({
    family,
    systems: members.filter((member) => systems.includes(member)),
  }));
  const placed = known.flatMap((group) => group.systems);
  const others = { family: 'Others', systems: systems.filter((system) => !placed.includes(system)) };
  return [...known, others].filter((group) => group.systems.length > 0);
}

/**
 * The system before the colon of a text such as "tvm:NCHW4c"; null where there is no such prefix.
 * @param {string} text
 * @returns {string | null}
 */
export function forcedSystem(text) {
  return PREFIX.exec(text)?.[1].toLowerCase() ?? null;
}
