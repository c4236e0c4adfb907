/** The line with which code of Python begins: the package, and how it is installed. */
export const IMPORTED = 'import stridescope  # after "pip install ." in the folder of its sources';
