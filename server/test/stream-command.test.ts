/** Tests that the command `asi stream` sends recordings to real processes of the service, which are killed and started again. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { stopAfterTest } from "./cleanup.js";
import { ecgWalk } from "./gateway.js";
import { Processes, type RunningProcess } from "./processes.js";
import { newScratchFolder } from "./scratch.js";

const ASI = join(import.meta.dirname, "../../dist/bin/asi.cjs");
const SECONDS = 40;

interface Ended {
  status: number | null;
  signal: NodeJS.Signals | null;
  stderr: string;
}

function startStream(running: Pick<RunningProcess, "url">, token: string, args: readonly string[]) {
  const child = spawn(process.execPath, [ASI, "stream", ...args, "--service", running.url], {
    env: { ...process.env, NO_COLOR: "1", ASI_TOKEN: token },
    stdio: ["pipe", "ignore", "pipe"],
  });
  stopAfterTest(async () => {
    child.kill("SIGKILL");
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text;
  });
  child.stdin.on("error", () => undefined);
  const end = new Promise<Ended>((resolve) =>
    child.once("close", (status, signal) => resolve({ status, signal, stderr })),
  );
  return { child, end };
}

async function serviceWith(...serials: string[]) {
  const processes = await Processes.onNewDatabase({ STREAM_STORE_MS: "20", RAW_DATA_CACHE_BYTES: "0" });
  const running = await processes.start();
  const { token } = await processes.manager(running, "ann");
  const ids: number[] = [];
  for (const serial of serials) ids.push(await processes.ownedDevice(running, token, serial));
  // The ownership of the devices starts at this time.
  const startMs = Math.ceil(Date.now() / 1000) * 1000;
  const recordings = await Promise.all(
    serials.map((serial) => ecgWalk(serial, new Date(startMs).toISOString(), SECONDS)),
  );
  const samplesOf = async (at: RunningProcess, id: number | undefined) => {
    const query = `start=${startMs}&stop=${startMs + SECONDS * 1000}&limit=25000`;
    return (await at.send("GET", `/api/v1/devices/${id}/preprocessed-data/?${query}`, token)).body.results;
  };
  const stateOf = async (at: RunningProcess, serial: string) =>
    (await at.send("GET", `/api/v2/devices/${serial}/stream/?recording=one`, token)).body;
  return { processes, running, token, ids, recordings, samplesOf, stateOf };
}

/** Waits until this number of bytes is stored. */
async function stored(state: () => Promise<{ stored_bytes: number }>, bytes: number): Promise<void> {
  while ((await state()).stored_bytes < bytes) await sleep(20);
}

describe("asi stream", () => {
  it("continues after the service is killed and restarted, with the samples of a single complete upload", async () => {
    const { processes, running, token, ids, recordings, samplesOf, stateOf } = await serviceWith(
      "S-1",
      "S-2",
    );
    const [recording = new Uint8Array(), whole = new Uint8Array()] = recordings;
    const args = ["-", "--device", "S-1", "--recording", "one"];
    const { child, end } = startStream(running, token, args);
    const half = Math.floor(recording.length / 2);
    child.stdin.write(recording.subarray(0, half));
    await stored(() => stateOf(running, "S-1"), half);
    await running.kill();
    child.stdin.write(recording.subarray(half, half + 5_000));
    const again = await processes.startWith({ PORT: new URL(running.url).port });
    await stored(() => stateOf(again, "S-1"), half + 5_000);
    child.stdin.end(recording.subarray(half + 5_000));
    const { status, stderr } = await end;
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining("1 break") });
    expect(stderr.match(/^S-1: the connection is lost; trying again\.$/gm)).toHaveLength(1);
    const folder = newScratchFolder();
    writeFileSync(join(folder, "whole.asi"), whole);
    const other = startStream(again, token, [join(folder, "whole.asi"), "--device", "S-2"]);
    expect(await other.end).toMatchObject({ status: 0 });
    const samples = await samplesOf(again, ids[0]);
    expect(samples).toHaveLength(SECONDS * 10);
    expect(samples).toEqual(await samplesOf(again, ids[1]));
    expect(
      samples.filter((sample: Record<string, unknown>) => sample["ecg.hr"] !== null).length,
    ).toBeGreaterThan(20);
  });

  it("replays a file, continues it in a second call, and does not send it again in a third call", async () => {
    const { running, token, ids, recordings, samplesOf, stateOf } = await serviceWith("S-1");
    const [recording = new Uint8Array()] = recordings;
    const path = join(newScratchFolder(), "match.asi");
    writeFileSync(path, recording);
    const args = [path, "--device", "S-1", "--recording", "one"];
    // A replay takes as long as the recording, so it is interrupted.
    const first = startStream(running, token, [...args, "--replay"]);
    await stored(() => stateOf(running, "S-1"), 2_000);
    first.child.kill("SIGINT");
    expect(await first.end).toMatchObject({
      signal: "SIGINT",
      stderr: expect.stringMatching(/S-1: .* stored/),
    });
    expect(await stateOf(running, "S-1")).toMatchObject({ ended: false });
    const second = startStream(running, token, [...args, "--replay", "1000"]);
    expect(await second.end).toMatchObject({ status: 0 });
    expect(await stateOf(running, "S-1")).toMatchObject({ ended: true, stored_bytes: recording.length });
    expect(await samplesOf(running, ids[0])).toHaveLength(SECONDS * 10);
    const third = startStream(running, token, args);
    expect(await third.end).toMatchObject({ status: 0 });
  });

  it("ends a recording from standard input when it is interrupted", async () => {
    const { running, token, recordings, stateOf } = await serviceWith("S-1");
    const [recording = new Uint8Array()] = recordings;
    const { child, end } = startStream(running, token, ["-", "--device", "S-1", "--recording", "one"]);
    child.stdin.write(recording.subarray(0, 3_000));
    await stored(() => stateOf(running, "S-1"), 3_000);
    child.kill("SIGINT");
    expect(await end).toMatchObject({ signal: "SIGINT" });
    await expect.poll(() => stateOf(running, "S-1")).toMatchObject({ ended: true, stored_bytes: 3_000 });
  });

  it("reports that the recording is unfinished, and how to continue it, if it is interrupted while disconnected", async () => {
    const { running, token, recordings, stateOf } = await serviceWith("S-1");
    const [recording = new Uint8Array()] = recordings;
    const { child, end } = startStream(running, token, ["-", "--device", "S-1", "--recording", "one"]);
    child.stdin.write(recording.subarray(0, 3_000));
    await stored(() => stateOf(running, "S-1"), 3_000);
    // Now nothing responds.
    await running.kill();
    child.kill("SIGINT");
    expect(await end).toMatchObject({
      signal: "SIGINT",
      stderr: expect.stringMatching(/the recording one has not ended.*--recording one/),
    });
  });

  it("fails with the reason from the service, and exits with status 3 for a damaged recording", async () => {
    const { running, token, recordings } = await serviceWith("S-1");
    const [recording = new Uint8Array()] = recordings;
    const folder = newScratchFolder();
    writeFileSync(join(folder, "text.asi"), "no recording".repeat(10_000));
    writeFileSync(join(folder, "damaged.asi"), Uint8Array.from(recording).fill(0xff, 3_000, 3_010));
    const send = (name: string, serial: string, with_ = token) =>
      startStream(running, with_, [join(folder, name), "--device", serial]).end;
    const text = await send("text.asi", "S-1");
    expect(text).toMatchObject({ status: 1, stderr: expect.stringContaining("NOT_A_RECORDING") });
    expect(await send("text.asi", "S-2")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("does not own a device with the serial number S-2"),
    });
    expect(await send("text.asi", "S-1", "x")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("TOKEN_REFUSED"),
    });
    expect(await send("damaged.asi", "S-1")).toMatchObject({ status: 3 });
  });
});
