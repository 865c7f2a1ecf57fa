// Server-sent events, read with fetch: an EventSource cannot say for which tenant it asks.

/** @typedef {{name: string, data: unknown, id: string | null}} ServerEvent */

/**
 * The events of a response, one after another; `null` is a sign of life without one.
 * @param {Response} response
 * @returns {AsyncGenerator<ServerEvent | null>}
 */
export async function* readEvents(response) {
  const text = /** @type {ReadableStream<BufferSource>} */ (response.body).pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      const blocks = rest.split("\n\n");
      rest = /** @type {string} */ (blocks.pop());
      for (const block of blocks) yield parse(block);
      if (blocks.length === 0) yield null;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** @param {string} block @returns {ServerEvent | null} */
export function parse(block) {
  let name = "message";
  let id = null;
  const data = [];
  for (const line of block.split("\n")) {
    const [field, value] = divide(line);
    if (field === "event") name = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return id === null ? null : { name: "place", data: null, id };
  return { name, data: JSON.parse(data.join("\n")), id };
}

/** @param {string} line @returns {[string, string]} */
function divide(line) {
  const colon = line.indexOf(":");
  if (colon < 0) return [line, ""];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}
