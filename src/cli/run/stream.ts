import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../arguments.js";
import { checkGivenSerial } from "../../recording/header.js";
import type { Context } from "../batch/batch.js";
import { openInput } from "../live/open-input.js";
import { OutageLines } from "../live/outage-lines.js";
import {
  askState,
  type StoredState,
  type StreamEnd,
  type StreamTarget,
  sendFrom,
} from "../live/stream-connection.js";
import type { StreamInput } from "../live/stream-input.js";
import { parseAddress, readToken } from "../service/access.js";
import { serviceError } from "../service/refusals.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { printableJson } from "../terminal/printable.js";
import { ProgressLine } from "../terminal/progress.js";

export interface StreamFlags {
  service: string;
  device: string;
  recording?: string;
  /** `true` if no speed is given. */
  replay?: number | true;
  tokenFile?: string;
  allowHttp?: boolean;
  json?: boolean;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
/** Time for sending the last bytes after an interruption. The process ends after 3 s in any case. */
const LAST_BYTES_MS = 2_500;

/** Reasons for the end of a request after which the next request continues the recording. */
const RETRYABLE_ENDS = ["idle", "stopping", "unavailable", "failed"];

/** Runs `asi stream`, which sends a recording to a service while it is recorded. */
export async function stream(path: string, flags: StreamFlags, context: Context): Promise<ExitStatus> {
  const base = parseAddress(flags.service, flags.allowHttp === true);
  checkGivenSerial(flags.device);
  const token = readToken(flags.tokenFile, process.env.ASI_TOKEN);
  const speed = flags.replay === undefined ? null : flags.replay === true ? 1 : flags.replay;
  const input = await openInput(path, { serial: flags.device, recording: flags.recording, speed });
  const target = { base, token, serial: flags.device, recording: input.recording };
  return new Gateway(target, input, context, flags.json === true).run();
}

class Gateway {
  readonly #target: StreamTarget;
  readonly #input: StreamInput;
  readonly #context: Context;
  readonly #printsJson: boolean;
  readonly #progress: ProgressLine;
  readonly #outage: OutageLines;
  #state: StoredState = { storedBytes: 0, storedUntilMs: null, aheadMs: 0 };
  #sentBytes = 0;
  #breaks = 0;
  #hasAnswered = false;
  #pause = "";
  #hasReportedClock = false;
  #isEnded = false;

  constructor(target: StreamTarget, input: StreamInput, context: Context, printsJson: boolean) {
    this.#printsJson = printsJson;
    this.#target = target;
    this.#input = input;
    this.#context = context;
    this.#progress = new ProgressLine(context.console, () => this.#progressText());
    // On a terminal, the progress line shows the pause.
    this.#outage = new OutageLines((text) => {
      if (!context.console.canShowTransient) context.console.message(`${target.serial}: ${text}`);
    });
  }

  async run(): Promise<ExitStatus> {
    try {
      return await this.#run();
    } finally {
      this.#input.close();
      this.#progress.end();
      if (this.#hasAnswered) this.#context.console.message(this.#summary());
      if (this.#hasAnswered && this.#context.signal.aborted && !this.#isEnded) this.#reportOpen();
    }
  }

  async #run(): Promise<ExitStatus> {
    const { signal } = this.#context;
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      const before = this.#state.storedBytes;
      const state = await askState(this.#target, signal);
      if (state === null && !this.#hasAnswered) {
        throw serviceError(
          "SERVICE_UNAVAILABLE",
          `${this.#target.base.href} cannot be reached, or is not available.`,
        );
      }
      if (state !== null) {
        this.#hasAnswered = true;
        this.#take(state);
        if (state.isEnded) return this.#conclude({ end: "complete" });
        const end = await this.#send(state.storedBytes);
        if (end?.end === "complete") return this.#conclude(end);
        signal.throwIfAborted();
        if (end !== null && !RETRYABLE_ENDS.includes(end.end)) throw endError(end);
        this.#breaks += 1;
      }
      failures = this.#state.storedBytes > before ? 0 : failures + 1;
      await this.#wait(Math.min(FIRST_WAIT_MS * 2 ** Math.max(0, failures - 1), MAX_WAIT_MS));
    }
  }

  /** Sends from an offset. An interruption ends an input that cannot be continued later, and aborts any other input. */
  async #send(offset: number): Promise<StreamEnd> {
    const { signal } = this.#context;
    const stopped = new AbortController();
    const bytes = (over: AbortSignal) => {
      if (this.#input.endsWithCommand) return this.#input.read(offset, over);
      return unlessInterrupted(this.#input.read(offset, AbortSignal.any([over, signal])), signal);
    };
    this.#sentBytes = offset;
    const sending = sendFrom(
      this.#target,
      offset,
      bytes,
      (state) => this.#take(state),
      (sent) => {
        this.#sentBytes += sent;
        this.#progress.update();
      },
    );
    sending.catch(() => undefined);
    const interrupted = interruptionOf(signal, stopped.signal).then(async () => {
      this.#input.end();
      if (this.#input.endsWithCommand) await sleep(LAST_BYTES_MS, undefined, { signal: stopped.signal });
      return null;
    });
    interrupted.catch(() => undefined);
    try {
      return await Promise.race([sending, interrupted]);
    } finally {
      stopped.abort();
    }
  }

  async #conclude(end: NonNullable<StreamEnd>): Promise<ExitStatus> {
    this.#isEnded = true;
    if (this.#printsJson) {
      const { serial: device, recording } = this.#target;
      const { storedBytes: stored_bytes, storedUntilMs: stored_until } = this.#state;
      const result = { device, recording, stored_bytes, stored_until, ...end };
      await this.#context.console.data(`${printableJson(result)}\n`);
    }
    return statusOf(end);
  }

  #take(state: StoredState): void {
    this.#state = state;
    this.#pause = "";
    this.#outage.report(false);
    this.#input.acknowledge(state.storedBytes);
    this.#progress.update();
    if (state.aheadMs === 0 || this.#hasReportedClock) return;
    this.#hasReportedClock = true;
    this.#context.console.message(
      `${this.#target.serial}: the clock of the device is ${Math.round(state.aheadMs / 1000)} s ahead of the service's.`,
    );
  }

  async #wait(waitMs: number): Promise<void> {
    this.#pause = `, no connection, next attempt in ${(waitMs / 1000).toFixed(waitMs < 10_000 ? 1 : 0)} s`;
    this.#progress.show();
    this.#outage.report(true);
    await sleep(waitMs, undefined, { signal: this.#context.signal });
  }

  #progressText(): string {
    return `${this.#target.serial}: ${megabytes(this.#sentBytes)} sent, ${this.#storedText()}${this.#pause}`;
  }

  #storedText(): string {
    const { storedBytes, storedUntilMs } = this.#state;
    const until = storedUntilMs === null ? "" : ` until ${new Date(storedUntilMs).toISOString()}`;
    return `${megabytes(storedBytes)} stored${until}`;
  }

  #reportOpen(): void {
    const { serial, recording } = this.#target;
    this.#context.console.message(
      `${serial}: the recording ${recording} has not ended. To continue, run the command again with the same bytes and --recording ${recording}. Another recording of the device has replaced it.`,
    );
  }

  #summary(): string {
    const breaks = this.#breaks === 0 ? "" : `, ${this.#breaks} ${this.#breaks === 1 ? "break" : "breaks"}`;
    return `${this.#target.serial}: ${this.#storedText()}${breaks}`;
  }
}

/** Throws when interrupted, because a normal end would end the recording. */
async function* unlessInterrupted(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    yield chunk;
  }
  signal.throwIfAborted();
}

/** Resolves when the command is interrupted. */
const interruptionOf = (signal: AbortSignal, stopped: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    signal.addEventListener("abort", () => resolve());
    stopped.addEventListener("abort", () => reject(new Error("The request has ended")));
  });

function statusOf({ damage }: Record<string, unknown>): ExitStatus {
  const frames = isRecord(damage) ? Object.values(damage).map(Number) : [];
  return frames.some((count) => count > 0) ? ExitStatus.doneWithDamage : ExitStatus.done;
}

const REASONS: Readonly<Record<string, string>> = {
  replaced:
    "Another gateway streams this device, or samples of the device were deleted. If no other gateway is running, run the command again.",
  not_permitted: "The account no longer owns the device.",
  signed_out: "The token has expired or was revoked. Get a new one, and run the command again to continue.",
};

function endError({ end, problem }: NonNullable<StreamEnd>): Error {
  const { code, detail } = isRecord(problem) ? problem : {};
  const said =
    REASONS[end] ?? `The service refuses the recording (${String(code ?? end)}): ${String(detail ?? end)}`;
  return serviceError(end === "signed_out" ? "TOKEN_REFUSED" : "SERVICE_REFUSED", said);
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
