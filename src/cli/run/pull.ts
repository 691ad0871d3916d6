import { join } from "node:path";
import { writeStream } from "../../files/write-stream.js";
import { count } from "../../pictures/figure-text.js";
import type { Context } from "../batch/batch.js";
import { parseAddress, readToken } from "../service/access.js";
import { Calendar, type Interval } from "../service/calendar.js";
import { ServiceClient } from "../service/client.js";
import { foldersOf } from "../service/device-folders.js";
import { signInByDevice, signOut } from "../service/device-sign-in.js";
import { accountOf, listDevices, listRanges, type OwnDevice, selectDevices } from "../service/devices.js";
import { daysWithSamples, type PulledDay } from "../service/pulled-days.js";
import { PulledFiles } from "../service/pulled-files.js";
import { type PullFormat, whole } from "../service/whole-download.js";
import { ExitStatus } from "../terminal/exit-status.js";
import { printable, printableJson } from "../terminal/printable.js";
import { DescribedError, placeOf } from "../terminal/problem.js";
import { ProgressLine } from "../terminal/progress.js";
import { UsageError } from "../terminal/usage-error.js";

export interface PullFlags {
  outDir: string;
  format?: PullFormat;
  device?: string[];
  /** First day, in days since 1 January 1970. */
  from?: number;
  to?: number;
  tz?: string;
  force?: boolean;
  tokenFile?: string;
  signIn?: boolean;
  allowHttp?: boolean;
  json?: boolean;
}

/** The service allows an account two concurrent downloads. */
const REQUESTS_AT_ONCE = 2;
/** The timestamps of samples may be ahead of this clock by up to this much. */
const MAX_AHEAD_MS = 86_400_000;

/** Codes of problems that concern one device, and do not affect the others. */
const OF_A_DEVICE = ["SERVICE_REFUSED", "OTHER_ORIGIN"];

/** Runs `asi pull`, which downloads one file for each device and day from a service. */
export async function pull(address: string, flags: PullFlags, context: Context): Promise<ExitStatus> {
  const base = parseAddress(address, flags.allowHttp === true);
  if (flags.from !== undefined && flags.to !== undefined && flags.from > flags.to)
    throw new UsageError("--from is later than --to.");
  if (flags.signIn !== true) {
    const token = readToken(flags.tokenFile, process.env.ASI_TOKEN);
    return new Pull(base, token, flags, context).run();
  }
  const token = await signIn(base, flags, context);
  try {
    return await new Pull(base, token, flags, context).run();
  } finally {
    if (!(await signOut(base, token)))
      context.console.message("The service did not revoke the token of this sign-in. It expires by itself.");
  }
}

/** Signs the user in through a browser, and shows that the command is waiting. */
async function signIn(base: URL, { tokenFile }: PullFlags, { console, signal }: Context): Promise<string> {
  if (tokenFile !== undefined) throw new UsageError("Use --sign-in without --token-file.");
  const progress = new ProgressLine(console, () => "Waiting for your approval in the browser…");
  try {
    return await signInByDevice(base, "samples:read", signal, ({ address, code }) => {
      console.message(`Open ${printable(address)}, sign in, and compare the code: ${printable(code)}`);
      progress.show();
    });
  } finally {
    progress.end();
  }
}

interface Task {
  device: OwnDevice;
  day: PulledDay;
  name: string;
  files: PulledFiles;
}

class Pull {
  readonly #flags: PullFlags;
  readonly #context: Context;
  readonly #base: URL;
  readonly #client: ServiceClient;
  readonly #calendar: Calendar;
  readonly #format: PullFormat;
  readonly #stop = new AbortController();
  /** Aborted when the process is interrupted, and at the first failure that ends the command. */
  readonly #signal: AbortSignal;
  readonly #progress: ProgressLine;
  readonly #failedDevices = new Set<number>();
  #current = "";
  /** A text about the current pause; empty if there is none. */
  #pause = "";
  #written = 0;
  #writtenBytes = 0;
  #receivedBytes = 0;
  #unchanged = 0;

  constructor(base: URL, token: string, flags: PullFlags, context: Context) {
    this.#flags = flags;
    this.#context = context;
    this.#base = base;
    this.#format = flags.format ?? "parquet";
    this.#calendar = new Calendar(flags.tz);
    this.#signal = AbortSignal.any([context.signal, this.#stop.signal]);
    this.#progress = new ProgressLine(context.console, () => this.#progressText());
    const onWait = (waitMs: number) => this.#showWait(waitMs);
    this.#client = new ServiceClient({ base, token, signal: this.#signal, onWait });
  }

  async run(): Promise<ExitStatus> {
    try {
      const account = await accountOf(this.#client);
      const all = await listDevices(this.#client);
      const devices = selectDevices(all, this.#flags.device);
      const tasks = this.#tasks(devices, all, account);
      await this.#sideBySide(REQUESTS_AT_ONCE, async () => {
        for await (const task of tasks) await this.#perform(task);
      });
    } finally {
      this.#progress.end();
    }
    this.#context.console.message(this.#summary());
    return this.#failedDevices.size === 0 ? ExitStatus.done : ExitStatus.failed;
  }

  /** Runs workers. The first failure stops all of them, and is thrown when they have ended and removed their incomplete files. */
  async #sideBySide(number: number, work: () => Promise<void>): Promise<void> {
    let first: { error: unknown } | undefined;
    const workers = Array.from({ length: number }, () =>
      work().catch((error: unknown) => {
        first ??= { error };
        this.#stop.abort();
      }),
    );
    await Promise.all(workers);
    if (first !== undefined) throw first.error;
  }

  /** Yields the days to download. Lists the ranges of a window only when a worker needs them. */
  async *#tasks(
    devices: readonly OwnDevice[],
    all: readonly OwnDevice[],
    account: number,
  ): AsyncGenerator<Task> {
    const { outDir, tz: timeZone = "UTC" } = this.#flags;
    const origin = { service: this.#base.href, account, timeZone };
    const folders = foldersOf(outDir, all, origin);
    for (const device of devices) {
      try {
        const folder = join(outDir, folders.get(device.id) ?? "");
        const files = new PulledFiles(folder, { ...origin, device: device.id });
        yield* this.#daysOf(device, files);
      } catch (error) {
        this.#failDevice(device, error);
      }
    }
  }

  async *#daysOf(device: OwnDevice, files: PulledFiles): AsyncGenerator<Task> {
    const within = this.#interval();
    const owned = device.owned
      .map(({ startMs, stopMs }) => ({
        startMs: Math.max(startMs, within.startMs),
        stopMs: Math.min(stopMs, within.stopMs),
      }))
      .filter(({ startMs, stopMs }) => startMs <= stopMs);
    const found = new Set<string>();
    for (const window of this.#calendar.windowsOf(owned)) {
      this.#show(device, new Date(window.startMs).toISOString().slice(0, 10));
      const days = daysWithSamples(this.#calendar, await listRanges(this.#client, device, window));
      for (const day of days.filter((one) => one.fromMs <= within.stopMs && one.toMs > within.startMs)) {
        if (this.#failedDevices.has(device.id)) return;
        const name = `${day.date}.${this.#format}`;
        found.add(name);
        if (this.#flags.force !== true && files.isCurrent(name, day.state)) this.#unchanged += 1;
        else yield { device, day, name, files };
      }
    }
    this.#tellRemoved(
      device,
      files.names.filter((name) => this.#isRequested(name) && !found.has(name)),
    );
  }

  /** Returns the interval of the requested days. */
  #interval(): Interval {
    const { from, to } = this.#flags;
    return {
      startMs: from === undefined ? Number.NEGATIVE_INFINITY : this.#calendar.day(from).fromMs,
      stopMs: Math.min(
        Date.now() + MAX_AHEAD_MS,
        to === undefined ? Number.POSITIVE_INFINITY : this.#calendar.day(to).toMs - 1,
      ),
    };
  }

  /** Returns whether a file has the requested format and one of the requested days. */
  #isRequested(name: string): boolean {
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = this.#flags;
    const [date = "", extension] = name.split(".");
    const number = Date.parse(date) / 86_400_000;
    return extension === this.#format && number >= from && number <= to;
  }

  async #perform({ device, day, name, files }: Task): Promise<void> {
    this.#show(device, day.date);
    const path = files.pathOf(name);
    const query = {
      from: new Date(day.fromMs).toISOString(),
      to: new Date(day.toMs).toISOString(),
      format: this.#format,
    };
    try {
      const { bytes } = await this.#client.read(`api/v2/devices/${device.id}/samples/`, query, (body) =>
        writeStream(
          whole(body, this.#format, (bytes) => this.#showReceived(bytes)),
          path,
          { force: true, signal: this.#signal },
        ),
      );
      files.add(name, { state: day.state, bytes });
      this.#written += 1;
      this.#writtenBytes += bytes;
      if (this.#flags.json === true) {
        const { id, serial } = device;
        await this.#context.console.data(
          `${printableJson({ file: path, device: id, serial, date: day.date, bytes })}\n`,
        );
      }
    } catch (error) {
      this.#failDevice(device, error);
    }
  }

  /** Reports a failure that concerns only one device, once. Throws other failures. */
  #failDevice({ id, serial }: OwnDevice, error: unknown): void {
    const isOfDevice = error instanceof DescribedError && OF_A_DEVICE.includes(error.failure.error.code);
    if (!isOfDevice || this.#signal.aborted) throw error;
    if (this.#failedDevices.has(id)) return;
    this.#failedDevices.add(id);
    const { console } = this.#context;
    const problem = error.failure.error;
    console.failure(console.paint("red", "asi:"), ` ${serial}: ${problem.message} ${placeOf(problem)}`);
  }

  #tellRemoved({ serial }: OwnDevice, names: readonly string[]): void {
    if (names.length === 0) return;
    this.#context.console.message(
      `${serial}: the service no longer has the samples of ${names.join(", ")}; asi pull does not remove files.`,
    );
  }

  #show({ serial }: OwnDevice, date: string): void {
    this.#current = `${serial} ${date}`;
    this.#pause = "";
    this.#progress.update();
  }

  #showReceived(bytes: number): void {
    this.#receivedBytes += bytes;
    this.#pause = "";
    this.#progress.update();
  }

  #showWait(waitMs: number): void {
    this.#pause = `, waiting ${Math.ceil(waitMs / 1000)} s for the service`;
    this.#progress.show();
  }

  #progressText(): string {
    return `${count(this.#written, "file")}, ${megabytes(this.#receivedBytes)}  ${this.#current}${this.#pause}`;
  }

  #summary(): string {
    const parts = [
      `${count(this.#written, "file")} written (${megabytes(this.#writtenBytes)})`,
      `${this.#unchanged} unchanged`,
    ];
    const failed = this.#failedDevices.size;
    if (failed > 0) parts.push(`${count(failed, "device")} failed`);
    return parts.join(", ");
  }
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
