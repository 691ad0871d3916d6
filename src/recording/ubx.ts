// Writes UBX frames (docs/recording-format.md, "Frames").

/** Class and id of the frames that are written. */
const FRAME_KINDS = {
  header: { classId: 0xa5, messageId: 0x00 },
  gnss: { classId: 0x01, messageId: 0x07 },
  ecgHr: { classId: 0xa5, messageId: 0x01 },
} as const;

/** Size of a frame without its payload, in bytes. */
export const FRAME_OVERHEAD = 8;

/** Writes a frame to `target` at `offset`: sync, class, id, length, payload, and the 8-bit Fletcher checksum (RFC 1145). */
export function writeFrame(
  target: Uint8Array,
  offset: number,
  kind: keyof typeof FRAME_KINDS,
  payload: Uint8Array,
): number {
  const { classId, messageId } = FRAME_KINDS[kind];
  target.set([0xb5, 0x62, classId, messageId, payload.length & 0xff, payload.length >> 8], offset);
  target.set(payload, offset + 6);
  const end = offset + 6 + payload.length;
  let a = 0;
  let b = 0;
  for (let i = offset + 2; i < end; i++) {
    a = (a + (target[i] as number)) & 0xff;
    b = (b + a) & 0xff;
  }
  target[end] = a;
  target[end + 1] = b;
  return end + 2;
}

/** Returns a single frame. */
export function frame(kind: keyof typeof FRAME_KINDS, payload: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(payload.length + FRAME_OVERHEAD);
  writeFrame(bytes, 0, kind, payload);
  return bytes;
}
