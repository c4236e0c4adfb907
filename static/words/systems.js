/** @type {Readonly<Record<string, string>>} how each system is called on the page */
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

/** @type {readonly (readonly [string, readonly string[]])[]} kinds of notation, as they are read together */
const FAMILIES = Object.freeze([
  ['Formats', ['letters', 'onednn', 'tvm', 'megengine', 'onnxruntime', 'tensorrt', 'cudnn']],
  ['Strides', ['strides', 'pytorch', 'numpy', 'directml']],
  ['Compilers', ['cute', 'xla', 'mlir']],
  ['Index expressions', ['c', 'python']],
]);

const PREFIX = /^\s*([a-z]\w*)\s*:(?!:)/i;

/**
 * A system as people write it; an unknown one by its own word.
 * @param {string} system of the API
 * @returns {string}
 */
export function systemName(system) {
  return NAMES[system] ?? system;
}

/**
 * Systems in families; those of no family come last, so that a new dialect shows without an edit here.
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
 * The system that a text such as "tvm:NCHW4c" forces, as it stands before the colon; null where it forces none.
 * @param {string} text
 * @returns {string | null}
 */
export function forcedSystem(text) {
  return PREFIX.exec(text)?.[1].toLowerCase() ?? null;
}
