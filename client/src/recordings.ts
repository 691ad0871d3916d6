/** A recording in memory, in a file (`File`, or `openAsBlob` of Node.js), or as a stream. */
export type RecordingSource = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>;

/** Returns the source as a blob, which can be sent more than once. Reads a stream to its end. Browsers store large blobs on disk. */
export async function blobOf(source: RecordingSource): Promise<Blob> {
  if (source instanceof Blob) return source;
  return source instanceof ReadableStream ? new Response(source).blob() : new Blob([source]);
}

/** Number of bytes that are converted to base64 at once. It is a multiple of three, because the texts are concatenated. */
const PIECE_BYTES = 3 * 16_384;

/** Returns the body of a bulk load, `{"asi_b64": "..."}`, written in pieces instead of as one long text. */
export async function bulkLoadBody(recording: Blob): Promise<Blob> {
  const parts: BlobPart[] = ['{"asi_b64":"'];
  for (let start = 0; start < recording.size; start += PIECE_BYTES) {
    const piece = await recording.slice(start, start + PIECE_BYTES).arrayBuffer();
    parts.push(base64(new Uint8Array(piece)));
  }
  return new Blob([...parts, '"}'], { type: "application/json" });
}

const DIGITS = new TextEncoder().encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const PADDING = 0x3d;

/**
 * Encodes bytes in base64 (RFC 4648 section 4) as ASCII. `btoa` requires a string and takes at least five times as long in Node.js 20.
 * Some supported engines lack `toBase64` of `Uint8Array`.
 */
function base64(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const text = new Uint8Array(4 * Math.ceil(bytes.length / 3));
  let at = 0;
  for (let i = 0; i < bytes.length; i += 3) {
    const group = ((bytes[i] ?? 0) << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let shift = 18; shift >= 0; shift -= 6) text[at++] = DIGITS[(group >> shift) & 63] ?? 0;
  }
  return text.fill(PADDING, text.length - ((3 - (bytes.length % 3)) % 3));
}

/** Returns the file name in `Content-Disposition: attachment; filename="..."`. */
export const fileNameOf = ({ headers }: Response): string | null =>
  /filename="([^"]*)"/.exec(headers.get("Content-Disposition") ?? "")?.[1] ?? null;

/** Returns the form for a body with a member that is a blob or a list of blobs, or null for other bodies. */
export function formOf(body: unknown): FormData | null {
  if (typeof body !== "object" || body === null) return null;
  const members = Object.entries(body).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: unknown) => [name, one] as const),
  );
  if (!members.some(([, value]) => value instanceof Blob)) return null;
  const form = new FormData();
  for (const [name, value] of members) {
    if (value instanceof Blob) form.append(name, value, value instanceof File ? value.name : "recording.asi");
    else form.append(name, String(value));
  }
  return form;
}
