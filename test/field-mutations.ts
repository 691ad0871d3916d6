import { joined, ubxFrame } from "./frames.js";
import type { Random } from "./mutations.js";

/**
 * Changes the content or the selection of frames, and updates every checksum. Unlike damage, which checksums
 * detect, these changes reach the code that reads the content.
 */

/** A recording divided into its frames and the bytes between them. */
export type Pieces = readonly Uint8Array[];

/** An integer of a payload, with its boundary values. All widths are in bytes. */
interface Field {
  offset: number;
  width: number;
  limits?: readonly number[];
}

/** Bytes of a payload that form a unit. */
type Structure = readonly [offset: number, length: number];

interface Layout {
  fields: readonly Field[];
  structures: readonly Structure[];
}

const NAV_PVT: Layout = {
  fields: [
    { offset: 4, width: 2, limits: [0, 1, 4, 100, 400, 1900, 1969, 1970, 2000, 2024, 9999, 10_000] },
    { offset: 6, width: 1, limits: [0, 1, 2, 3, 4, 11, 12, 13] },
    { offset: 7, width: 1, limits: [0, 1, 28, 29, 30, 31, 32] },
    { offset: 8, width: 1, limits: [0, 23, 24] },
    { offset: 9, width: 1, limits: [0, 59, 60] },
    { offset: 10, width: 1, limits: [0, 59, 60] },
    { offset: 11, width: 1, limits: [0, 1, 2, 3, 0x37, 0xfc] },
    {
      offset: 16,
      width: 4,
      limits: [
        0, -1, 499_999, 500_000, -500_000, -500_001, 999_499_999, 999_500_000, 999_999_999, 1_000_000_000,
      ],
    },
    { offset: 20, width: 1, limits: [0, 1, 2, 3, 4, 5] },
    { offset: 21, width: 1, limits: [0, 1, 2] },
    {
      offset: 24,
      width: 4,
      limits: [0, -1, 999_999, 1_800_000_000, 1_800_000_001, -1_800_000_000, -1_800_000_001],
    },
    { offset: 28, width: 4, limits: [0, -1, 999_999, 900_000_000, 900_000_001, -900_000_000, -900_000_001] },
    {
      offset: 36,
      width: 4,
      limits: [0, -1, 999, 1000, 999_999_999, 1_000_000_000, -999_999_999, -1_000_000_000],
    },
    { offset: 60, width: 4, limits: [0, -1, 999, 1000, 999_999_999, 1_000_000_000] },
    // satellites, accuracy of the speed, dilution of precision
    { offset: 23, width: 1, limits: [0, 5, 6, 255] },
    { offset: 68, width: 4, limits: [0, 300, -1] },
    { offset: 76, width: 2, limits: [0, 300, 9999, 65_535] },
  ],
  // date and time with their validity, the date, the time, the fix, the position, all values of a row
  structures: [
    [4, 8],
    [4, 4],
    [8, 3],
    [4, 7],
    [16, 4],
    [20, 2],
    [24, 8],
    [24, 16],
    [4, 60],
    [0, 92],
  ],
};

const ECG_HR: Layout = {
  fields: [
    { offset: 0, width: 8 },
    { offset: 4, width: 4, limits: [0, 1, 0x20_0000, -0x8000_0000] },
    { offset: 8, width: 1, limits: [0, 1, 9, 10, 99, 100] },
    { offset: 10, width: 1, limits: [0, 1, 2] },
  ],
  structures: [
    [0, 8],
    [8, 4],
    [0, 12],
  ],
};

const ECG_RAW: Layout = {
  fields: [
    { offset: 0, width: 8 },
    { offset: 8, width: 2, limits: [0, 99, 100, 250, 1000, 1001] },
    { offset: 12, width: 2, limits: [0, 1, 8] },
  ],
  structures: [
    [0, 8],
    [8, 8],
    [0, 16],
  ],
};

const ASI_INF: Layout = {
  fields: [
    { offset: 0, width: 1, limits: [0, 1, 2] },
    { offset: 2, width: 2, limits: [0, 100] },
    { offset: 4, width: 1, limits: [0, 0x2d, 0x2e, 0x41] },
    // a NUL that ends the serial number, and the next character
    { offset: 8, width: 1, limits: [0, 0x41] },
    { offset: 19, width: 1, limits: [0, 0x41] },
  ],
  structures: [
    [4, 16],
    [20, 16],
    [20, 44],
    [0, 64],
  ],
};

const LAYOUTS: ReadonlyMap<number, Layout> = new Map([
  [0x0107, NAV_PVT],
  [0xa500, ASI_INF],
  [0xa501, ECG_HR],
  [0xa502, ECG_RAW],
]);

const CLASS_IDS = [0x0107, 0xa500, 0xa501, 0xa502, 0x0135];
const LENGTHS = [0, 1, 11, 12, 14, 16, 63, 64, 65, 83, 84, 91, 92, 93, 100, 300];

/** Frames found only by their syncs and lengths; other bytes remain between them. */
export function cut(recording: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let foreign = 0;
  let at = 0;
  while (at < recording.length) {
    const isSync = recording[at] === 0xb5 && recording[at + 1] === 0x62;
    const end = at + 8 + ((recording[at + 4] ?? 0) | ((recording[at + 5] ?? 0) << 8));
    if (isSync && end <= recording.length) {
      if (foreign < at) pieces.push(recording.subarray(foreign, at));
      pieces.push(recording.subarray(at, end));
      foreign = at = end;
    } else {
      at++;
    }
  }
  if (foreign < at) pieces.push(recording.subarray(foreign));
  return pieces;
}

/** Applies one to six mutations to the frames; the pieces themselves are not modified. */
export function mutateFields(pieces: Pieces, random: Random): Uint8Array {
  const mutated = [...pieces];
  for (let remaining = 1 + random(6); remaining > 0 && mutated.length > 0; remaining--) {
    mutations[random(mutations.length)]?.(mutated, random);
  }
  return joined(mutated);
}

type Mutation = (pieces: Uint8Array[], random: Random) => void;

const setField: Mutation = (pieces, random) => {
  changePayload(pieces, random(pieces.length), (payload, layout) => {
    const field = draw(layout.fields, random);
    if (field !== undefined) writeField(payload, field, random);
  });
};

/** Sets one value in several consecutive frames, which form a run of rows or of frames without a row. */
const setFieldOfSeveral: Mutation = (pieces, random) => {
  const first = random(pieces.length);
  const kind = kindOf(pieces[first]);
  const field = draw(LAYOUTS.get(kind ?? 0)?.fields ?? [], random);
  if (field === undefined) return;
  const value = drawValue(field, random);
  const last = Math.min(pieces.length, first + 1 + random(10));
  for (let i = first; i < last; i++) {
    if (kindOf(pieces[i]) !== kind) continue;
    changePayload(pieces, i, (payload) => writeInteger(payload, field, value));
  }
};

const fillStructure: Mutation = (pieces, random) => {
  const first = random(pieces.length);
  const last = Math.min(pieces.length, first + 1 + (random(2) === 0 ? 0 : random(10)));
  const kind = kindOf(pieces[first]);
  const structure = draw(LAYOUTS.get(kind ?? 0)?.structures ?? [], random);
  if (structure === undefined) return;
  // usually zeros: values that a receiver has not set
  const fill = [0, 0, 0, 0xff, random(256)][random(5)] ?? 0;
  for (let i = first; i < last; i++) {
    if (kindOf(pieces[i]) !== kind) continue;
    changePayload(pieces, i, (payload) => {
      payload.fill(fill, structure[0], structure[0] + structure[1]);
    });
  }
};

const copyStructure: Mutation = (pieces, random) => {
  const to = random(pieces.length);
  const from = pieces[random(pieces.length)];
  const kind = kindOf(pieces[to]);
  const structure = draw(LAYOUTS.get(kind ?? 0)?.structures ?? [], random);
  if (structure === undefined || from === undefined || kindOf(from) !== kind) return;
  const source = from.subarray(6, from.length - 2).subarray(structure[0], structure[0] + structure[1]);
  changePayload(pieces, to, (payload) => {
    const room = payload.length - structure[0];
    if (room > 0) payload.set(source.subarray(0, room), structure[0]);
  });
};

const changeByte: Mutation = (pieces, random) => {
  changePayload(pieces, random(pieces.length), (payload) => {
    if (payload.length === 0) return;
    const at = random(payload.length);
    payload[at] = (payload[at] ?? 0) ^ (1 << random(8));
  });
};

const changeKind: Mutation = (pieces, random) => {
  const index = random(pieces.length);
  const frame = pieces[index];
  if (frame === undefined || kindOf(frame) === null) return;
  pieces[index] = ubxFrame(draw(CLASS_IDS, random) ?? 0, frame.subarray(6, frame.length - 2));
};

const changeLength: Mutation = (pieces, random) => {
  const index = random(pieces.length);
  const frame = pieces[index];
  const kind = kindOf(frame);
  if (frame === undefined || kind === null) return;
  const payload = new Uint8Array(draw(LENGTHS, random) ?? 0);
  payload.set(frame.subarray(6, frame.length - 2).subarray(0, payload.length));
  pieces[index] = ubxFrame(kind, payload);
};

const dropPieces: Mutation = (pieces, random) => {
  if (pieces.length > 1) pieces.splice(random(pieces.length), 1 + random(3));
};

const repeatPiece: Mutation = (pieces, random) => {
  const piece = pieces[random(pieces.length)];
  if (piece === undefined) return;
  const copies = Array.from({ length: 1 + random(random(4) === 0 ? 20 : 2) }, () => piece);
  pieces.splice(random(pieces.length + 1), 0, ...copies);
};

const swapPieces: Mutation = (pieces, random) => {
  const [i, j] = [random(pieces.length), random(pieces.length)];
  const [a, b] = [pieces[i], pieces[j]];
  if (a === undefined || b === undefined) return;
  pieces[i] = b;
  pieces[j] = a;
};

const mutations: readonly Mutation[] = [
  setField,
  setField,
  setFieldOfSeveral,
  setFieldOfSeveral,
  fillStructure,
  fillStructure,
  copyStructure,
  changeByte,
  changeKind,
  changeLength,
  dropPieces,
  repeatPiece,
  swapPieces,
];

/** Class and id of a frame, class first; null if it is not a frame. */
function kindOf(piece: Uint8Array | undefined): number | null {
  if (piece === undefined || piece.length < 8 || piece[0] !== 0xb5 || piece[1] !== 0x62) return null;
  return ((piece[2] ?? 0) << 8) | (piece[3] ?? 0);
}

function changePayload(
  pieces: Uint8Array[],
  index: number,
  change: (payload: Uint8Array, layout: Layout) => void,
): void {
  const frame = pieces[index];
  const kind = kindOf(frame);
  if (frame === undefined || kind === null) return;
  const payload = frame.slice(6, frame.length - 2);
  change(payload, LAYOUTS.get(kind) ?? { fields: [], structures: [] });
  pieces[index] = ubxFrame(kind, payload);
}

function writeField(payload: Uint8Array, field: Field, random: Random): void {
  writeInteger(payload, field, drawValue(field, random));
}

/** Bytes of a value for the field, lowest first. The value is one of its limits, an extreme of its width, or any value. */
function drawValue({ width, limits = [] }: Field, random: Random): number[] {
  const bytes = (value: number) =>
    Array.from({ length: width }, (_, i) => (i < 4 ? value >> (8 * i) : 0) & 0xff);
  const limit = limits[random(limits.length)];
  if (limit !== undefined && random(3) > 0) return bytes(limit);
  const highest = width - 1;
  switch (random(5)) {
    case 0:
      return bytes(0);
    case 1:
      return Array.from({ length: width }, () => 0xff);
    case 2:
      return Array.from({ length: width }, (_, i) => (i === highest ? 0x7f : 0xff));
    case 3:
      return Array.from({ length: width }, (_, i) => (i === highest ? 0x80 : 0));
    default:
      return Array.from({ length: width }, () => random(256));
  }
}

function writeInteger(payload: Uint8Array, { offset, width }: Field, value: readonly number[]): void {
  for (let i = 0; i < width && offset + i < payload.length; i++) payload[offset + i] = value[i] ?? 0;
}

function draw<T>(from: readonly T[], random: Random): T | undefined {
  return from[random(from.length)];
}
