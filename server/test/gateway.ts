/** Provides a gateway that streams a recording, and recordings with an ECG. */
import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { ecgRaw } from "../../test/frames.js";
import { syntheticEcg } from "../../test/synthetic-ecg.js";
import { recordingOf, rowAt, timesFrom } from "./recordings.js";

/** Returns the frames of a recording, each with its envelope. */
export function framesOf(recording: Uint8Array): Uint8Array[] {
  const view = new DataView(recording.buffer, recording.byteOffset, recording.byteLength);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < recording.length; ) {
    const end = at + view.getUint16(at + 4, true) + 8;
    frames.push(recording.subarray(at, end));
    at = end;
  }
  return frames;
}

const RATE_HZ = 250;

/**
 * Creates a recording of the walk at 10 Hz with an ECG. @returns its parts: the header, and for each part of a second the rows
 * and the ECG
 */
export async function ecgWalkParts(
  serial: string,
  start: string,
  seconds: number,
  partsOfSecond: 1 | 10,
): Promise<Uint8Array[]> {
  const rows = timesFrom(start, seconds * 10).map((ms) => ({ ...rowAt(ms), hr: null }));
  const [header = new Uint8Array(), ...gnss] = framesOf(await recordingOf(serial, rows));
  const { samples } = syntheticEcg({ durationS: seconds, rateHz: RATE_HZ, running: 0.1 });
  const startMs = Date.parse(start);
  const [rowsOfPart, samplesOfPart] = [10 / partsOfSecond, RATE_HZ / partsOfSecond];
  const parts = Array.from({ length: seconds * partsOfSecond }, (_, part) => {
    const ecg = samples.slice(part * samplesOfPart, (part + 1) * samplesOfPart);
    const timeMs = startMs + (part * 1000) / partsOfSecond;
    return Buffer.concat([
      ...gnss.slice(part * rowsOfPart, (part + 1) * rowsOfPart),
      ecgRaw({ timeMs, samples: ecg, sampleRateHz: RATE_HZ }),
    ]);
  });
  return [header, ...parts];
}

/** Creates a recording of the walk with an ECG, from which heart rates can be derived. */
export const ecgWalk = async (serial: string, start: string, seconds: number): Promise<Uint8Array> =>
  Buffer.concat(await ecgWalkParts(serial, start, seconds, 1));

/** A line of the response. */
export interface Line {
  stored_bytes: number;
  stored_until: number | null;
  ahead_ms?: number;
  end?: string;
  samples_read?: number;
  samples_stored?: number;
  samples_known?: number;
  samples_refused?: number;
  samples_unowned?: number;
  damage?: Record<string, number>;
  problem?: { status: number; code: string; detail: string };
}

/** An open request that streams a recording. */
export class Gateway {
  readonly #request: ClientRequest;
  readonly #response: Promise<IncomingMessage>;
  readonly #lines: AsyncGenerator<string>;

  constructor(address: string, serial: string, query: string, token: string) {
    this.#request = request(`${address}/api/v2/devices/${serial}/stream/?${query}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/octet-stream" },
      agent: false,
    });
    // The connection is reset if the server is killed.
    this.#request.on("error", () => undefined);
    this.#request.flushHeaders();
    this.#response = once(this.#request, "response").then(([response]) => response as IncomingMessage);
    this.#response.catch(() => undefined);
    this.#lines = linesOf(this.#response);
  }

  async status(): Promise<number | undefined> {
    return (await this.#response).statusCode;
  }

  send(bytes: Uint8Array): void {
    this.#request.write(bytes);
  }

  /** Ends the request body, which ends the recording. */
  finish(): void {
    this.#request.end();
  }

  /** Breaks the connection before the body ends. */
  break(): void {
    this.#request.destroy();
  }

  /** Returns the next line; null at the end of the response. */
  async next(): Promise<Line | null> {
    const { value, done } = await this.#lines.next();
    return done ? null : (JSON.parse(value) as Line);
  }

  /** Reads lines until this number of bytes has been stored. */
  async stored(bytes: number): Promise<Line> {
    for (;;) {
      const line = await this.next();
      if (line === null) throw new Error("The response has ended");
      if (line.stored_bytes >= bytes) return line;
    }
  }

  /** Reads to the end. @returns the last line */
  async last(): Promise<Line | undefined> {
    let last: Line | undefined;
    for (let line = await this.next(); line !== null; line = await this.next()) last = line;
    this.#request.destroy();
    return last;
  }

  /** Returns the whole response to a refused request. */
  async text(): Promise<string> {
    let text = "";
    for await (const chunk of (await this.#response).setEncoding("utf8")) text += chunk;
    this.#request.destroy();
    return text;
  }
}

async function* linesOf(response: Promise<IncomingMessage>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of (await response).setEncoding("utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
