import type { Console, Part } from "../terminal/console.js";
import { ExitStatus, statusOfAll } from "../terminal/exit-status.js";
import { printable, printableJson } from "../terminal/printable.js";
import { type Failure, failureOf, placeOf, systemCode } from "../terminal/problem.js";
import { Progress } from "../terminal/progress.js";
import { type Input, nameOf } from "./inputs.js";

/** The environment of a command, without its arguments. */
export interface Context {
  console: Console;
  /** Aborted when the process is interrupted. */
  signal: AbortSignal;
}

/** The processing of all inputs of a call. */
export interface Batch<T> {
  inputs: readonly Input[];
  /** The word for successful inputs in the summary of several inputs. Damaged inputs also have an output, but it is incomplete. */
  outcome?: "written" | "whole";
  /** Whether to print one JSON object per input, each on its own line. */
  json: boolean;
  /** Number of inputs that are processed in parallel. Default: 1. */
  concurrency?: number;
  /** Whether a progress bar may appear. Default: true. */
  hasProgress?: boolean;
  work(input: Input, index: number, onProgress: (bytesRead: number) => void): Promise<T>;
  /** Called when the processing of an input has ended, successfully or not; `isDone` means that there is a result. */
  onSettled?(index: number, isDone: boolean): void;
  /** Called when all inputs up to this one have ended. Returns the reason for withdrawing its result, or null to keep it. */
  refusalOf?(index: number): Error | null;
  /** Shows the result to the user. Not called with `json`. */
  show(result: T, input: Input): Promise<void>;
  /** Returns the result for `json`; the name of the input is added before it. */
  toJson(result: T): object;
  statusOf(result: T): ExitStatus;
}

/**
 * Processes each input, even if others fail, and reports the results in the order of the inputs. If there are several
 * inputs, failures are printed at the end, where they are visible, followed by a line with counts.
 *
 * @throws the error of an interruption
 */
export async function runBatch<T>(context: Context, batch: Batch<T>): Promise<ExitStatus> {
  const { inputs, concurrency = 1 } = batch;
  const progress = batch.hasProgress === false ? null : new Progress(context.console, totalBytes(inputs));
  const results = startInOrder(inputs, concurrency, async (input, index) => {
    let isDone = false;
    try {
      // after an interruption, no further input is started
      context.signal.throwIfAborted();
      const result = await batch.work(input, index, (bytesRead) => progress?.report(index, bytesRead));
      isDone = true;
      return result;
    } finally {
      batch.onSettled?.(index, isDone);
    }
  });
  const statuses: ExitStatus[] = [];
  const failures: [input: Input, error: unknown][] = [];
  for (const [index, input] of inputs.entries()) {
    try {
      const result = await results(index);
      const refusal = batch.refusalOf?.(index) ?? null;
      if (refusal !== null) throw refusal;
      if (index === inputs.length - 1) progress?.end();
      if (batch.json) await tell(context, { input: input.name, ...batch.toJson(result) });
      else await batch.show(result, input);
      statuses.push(batch.statusOf(result));
    } catch (error) {
      if (context.signal.aborted) continue;
      if (index === inputs.length - 1) progress?.end();
      // the reader of the output has closed it, so the work is done
      if (systemCode(error) === "EPIPE") statuses.push(ExitStatus.done);
      else {
        statuses.push(ExitStatus.failed);
        if (!batch.json) failures.push([input, error]);
        else await tell(context, { input: input.name, ...failureOf(error) });
        if (batch.json && process.env.ASI_DEBUG === "1") context.console.trace(error);
      }
    }
  }
  progress?.end();
  for (const [input, error] of failures) tellFailure(context, input, error);
  // an interrupted run is terminated by its signal without further messages
  const isWhole = !context.signal.aborted;
  if (isWhole && inputs.length > 1 && !batch.json && batch.outcome !== undefined) {
    context.console.message(closingLine(statuses, batch.outcome));
  }
  return statusOfAll(statuses);
}

/** Formats the summary: `51 written, 4 failed, 2 damaged`. */
function closingLine(statuses: readonly ExitStatus[], outcome: "written" | "whole"): string {
  const number = (status: ExitStatus) => statuses.filter((one) => one === status).length;
  const damaged = number(ExitStatus.doneWithDamage);
  const failed = number(ExitStatus.failed);
  const successful = number(ExitStatus.done) + (outcome === "written" ? damaged : 0);
  const parts = [`${successful} ${outcome}`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (damaged > 0) parts.push(`${damaged} damaged`);
  return parts.join(", ");
}

function tellFailure({ console }: Context, input: Input, error: unknown): void {
  console.failure(...failureLine(console, failureOf(error), nameOf(input)));
  if (process.env.ASI_DEBUG === "1") console.trace(error);
}

/** Formats a failure: `asi: match.asi: message (CODE at byte 12)`. */
function failureLine(console: Console, { error }: Failure, name: string): Part[] {
  const text = printable(error.message);
  const message = text.startsWith(`${name}: `) ? text.slice(name.length + 2) : text;
  return [console.paint("red", "asi:"), ` ${name}: ${message} ${placeOf(error)}`];
}

async function tell({ console }: Context, object: object): Promise<void> {
  await console.data(`${printableJson(object)}\n`);
}

function totalBytes(inputs: readonly Input[]): number {
  // an input is a pipe, so the total is unknown
  if (inputs.some(({ kind }) => kind === "standardInput")) return 0;
  return inputs.reduce((sum, input) => sum + (input.kind === "file" ? input.bytes : 0), 0);
}

// Starts the work on the inputs in order, with limited concurrency. Returns a function that returns the promise of each result.
function startInOrder<T>(
  inputs: readonly Input[],
  concurrency: number,
  work: (input: Input, index: number) => Promise<T>,
): (index: number) => Promise<T> {
  const started: Promise<T>[] = [];
  let running = 0;
  const startNext = () => {
    const index = started.length;
    const input = inputs[index];
    if (input === undefined || running >= concurrency) return;
    running += 1;
    const result = work(input, index);
    started.push(result);
    const onEnd = () => {
      running -= 1;
      startNext();
    };
    result.then(onEnd, onEnd);
    startNext();
  };
  startNext();
  return async (index) => {
    // the previous task has ended, and has started this one
    const result = started[index];
    if (result === undefined) throw new Error(`input ${index} was not started`);
    return result;
  };
}
