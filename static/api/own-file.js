/**
 * Sends a file to a call whose body is one.
 * @param {{method: string, path: string, media: string}} call path: with names in braces
 * @param {FormData} fields parameters by name; those that are empty are left out
 * @param {File} file
 * @returns {Promise<{status: number, media: string, body: Blob, text: string | null}>} text: null where the answer is none
 */
export async function sendFile({ method, path, media }, fields, file) {
  const query = new URLSearchParams();
  let link = path;
  for (const [name, value] of fields) {
    const text = String(value);
    if (link.includes(`{${name}}`)) link = link.replace(`{${name}}`, encodeURIComponent(text));
    else if (text) query.set(name, text);
  }
  const answer = await fetch(query.size > 0 ? `${link}?${query}` : link, { method, headers: { 'Content-Type': media }, body: file });
  const body = await answer.blob();
  const [kind] = body.type.split(';');
  const text = kind.endsWith('json') ? JSON.stringify(JSON.parse(await body.text()), null, 2) : kind.startsWith('text/') ? await body.text() : null;
  return { status: answer.status, media: kind, body, text };
}
