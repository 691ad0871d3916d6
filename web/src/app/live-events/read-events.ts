/** An event of a stream (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export interface StreamedEvent {
  /** The name of the event. It is `open` for lines without data, such as the first lines and comments. */
  event: string;
  data: string;
  /** The id of the event. The client sends it to continue after this event. */
  id?: string;
}

/**
 * Reads server-sent events. `EventSource` cannot send the header that identifies the page to the service.
 *
 * @param heard called for all received data
 */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  heard: () => void = () => {},
): AsyncGenerator<StreamedEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      heard();
      const blocks = (rest + decoder.decode(next.value, { stream: true })).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) yield eventOf(block);
    }
  } finally {
    await reader.cancel();
  }
}

function eventOf(block: string): StreamedEvent {
  let event = "message";
  const data: string[] = [];
  let id: string | undefined;
  for (const line of block.split("\n")) {
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === "event") event = value;
    if (name === "id") id = value;
    if (name === "data") data.push(value);
  }
  return data.length === 0
    ? { event: "open", data: "" }
    : { event, data: data.join("\n"), ...(id === undefined ? {} : { id }) };
}
