const KEPT_MS = 60_000;

/**
 * Gives a file to the browser's downloads.
 * @param {Blob} file
 * @param {string} name
 */
export function saveAs(file, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // WebKit reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
}

/**
 * A part of a file's name, from any text.
 * @param {string} text
 */
export function fileName(text) {
  return text.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 60);
}
