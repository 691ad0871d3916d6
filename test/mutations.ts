/** Damages recordings as radio links, memory cards and hostile senders do. The seed determines the damage. */

/** Returns a whole number from 0 to `below`, exclusive. */
export type Random = (below: number) => number;

/** A seeded generator (mulberry32, Tommy Ettinger, public domain). */
export function seededRandom(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

type Mutation = (bytes: Uint8Array, random: Random) => Uint8Array;

/** Applies one to six mutations to `recording`, determined by `seed`. The recording itself is not modified. */
export function mutate(recording: Uint8Array, seed: number): Uint8Array {
  const random = seededRandom(seed);
  let bytes: Uint8Array = recording.slice();
  for (let remaining = 1 + random(6); remaining > 0; remaining--) {
    const mutation = mutations[random(mutations.length)];
    if (mutation) bytes = mutation(bytes, random);
  }
  return bytes;
}

/** `bytes` divided into chunks of random sizes, from a few bytes to many. */
export function randomChunks(bytes: Uint8Array, random: Random): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const size = 1 + random(2 ** (1 + random(14)));
    chunks.push(bytes.subarray(offset, offset + size));
    offset += size;
  }
  return chunks;
}

const flipBits: Mutation = (bytes, random) => {
  for (let remaining = 1 + random(8); remaining > 0 && bytes.length > 0; remaining--) {
    const position = random(bytes.length);
    bytes[position] = (bytes[position] ?? 0) ^ (1 << random(8));
  }
  return bytes;
};

const overwriteSpan: Mutation = (bytes, random) => {
  const [from, to] = span(bytes, random);
  for (let position = from; position < to; position++) bytes[position] = random(256);
  return bytes;
};

const deleteSpan: Mutation = (bytes, random) => {
  const [from, to] = span(bytes, random);
  return splice(bytes, from, to, new Uint8Array(0));
};

const insertNoise: Mutation = (bytes, random) => {
  const position = random(bytes.length + 1);
  const noise = Uint8Array.from({ length: 1 + random(200) }, () => random(256));
  return splice(bytes, position, position, noise);
};

const duplicateSpan: Mutation = (bytes, random) => {
  const [from, to] = span(bytes, random);
  const position = random(bytes.length + 1);
  return splice(bytes, position, position, bytes.slice(from, to));
};

/** The length that a false sync claims. It can have any size, and is often at the limits. */
const claims: ((random: Random) => number)[] = [
  (random) => random(16),
  (random) => random(300),
  (random) => 8185 + random(16),
  (random) => random(65536),
  () => 8192,
];

const spliceFalseSyncs: Mutation = (bytes, random) => {
  const overwrites = random(2) === 0;
  let result = bytes;
  for (let remaining = 1 + random(20); remaining > 0; remaining--) {
    const claimed = claims[random(claims.length)]?.(random) ?? 0;
    const falseStart = Uint8Array.of(0xb5, 0x62, random(256), random(256), claimed & 0xff, claimed >> 8);
    const position = random(result.length + 1);
    // A sync that ends before its length is complete is a false start too.
    const part = falseStart.subarray(0, 1 + random(6));
    const sync = random(4) === 0 ? part : falseStart;
    result = splice(result, position, overwrites ? position + sync.length : position, sync);
  }
  return result;
};

const truncateHead: Mutation = (bytes, random) => bytes.slice(random(Math.min(bytes.length, 200) + 1));

const truncateTail: Mutation = (bytes, random) =>
  bytes.slice(0, bytes.length - random(Math.min(bytes.length, 200) + 1));

const swapFrames: Mutation = (bytes, random) => {
  const starts = [...syncs(bytes)];
  if (starts.length < 3) return bytes;
  const first = random(starts.length - 2);
  const second = first + 1 + random(starts.length - first - 2);
  const [a, afterA] = [starts[first] ?? 0, starts[first + 1] ?? 0];
  const [b, afterB] = [starts[second] ?? 0, starts[second + 1] ?? 0];
  const swapped = splice(bytes, b, afterB, bytes.slice(a, afterA));
  return splice(swapped, a, afterA, bytes.slice(b, afterB));
};

const mutations: readonly Mutation[] = [
  flipBits,
  overwriteSpan,
  deleteSpan,
  insertNoise,
  duplicateSpan,
  spliceFalseSyncs,
  truncateHead,
  truncateTail,
  swapFrames,
];

/** Start and end of a span of up to 300 bytes. */
function span(bytes: Uint8Array, random: Random): [number, number] {
  const from = random(bytes.length + 1);
  return [from, Math.min(bytes.length, from + 1 + random(300))];
}

function splice(bytes: Uint8Array, from: number, to: number, replacement: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, from);
  const tail = bytes.subarray(to);
  const result = new Uint8Array(head.length + replacement.length + tail.length);
  result.set(head);
  result.set(replacement, head.length);
  result.set(tail, head.length + replacement.length);
  return result;
}

function* syncs(bytes: Uint8Array): Iterable<number> {
  for (let position = 0; position + 1 < bytes.length; position++) {
    if (bytes[position] === 0xb5 && bytes[position + 1] === 0x62) yield position;
  }
}
