import type { FastifyServerOptions } from "fastify";
import { errorRecord } from "../../observability/error-record.js";
import { isOutage } from "../../store/connection/database-errors.js";

/**
 * Minimum time between two lines with the same message, ms. During an outage, every request and every poll for jobs
 * would log one.
 */
const INTERVAL_MS = 1_000;

/** Number of the level `warn` in Pino. */
const WARN = 40;

/**
 * Combines lines about the same outage. Writes the first line immediately, and then one line per second with the number
 * of further ones.
 */
class OutageLines {
  readonly #last = new Map<string, { times: number; write: (times: number) => void }>();

  /** @param write writes the line, with the number of lines that it represents */
  add(message: string, write: (times: number) => void): void {
    const waiting = this.#last.get(message);
    if (waiting !== undefined) {
      waiting.times++;
      waiting.write = write;
      return;
    }
    write(1);
    this.#wait(message, write);
  }

  #wait(message: string, write: (times: number) => void): void {
    const waiting = { times: 0, write };
    this.#last.set(message, waiting);
    setTimeout(() => {
      this.#last.delete(message);
      if (waiting.times === 0) return;
      waiting.write(waiting.times);
      this.#wait(message, waiting.write);
    }, INTERVAL_MS).unref();
  }
}

/** Returns the options of the log: JSON lines on stdout, without data from users. */
export const logOptions = (level: string) => {
  const outages = new OutageLines();
  return {
    level,
    // The multipart parser logs its options, including the request headers with the token.
    serializers: { err: errorRecord, busboyOptions: () => undefined },
    hooks: {
      logMethod(args, write, lineLevel) {
        const [given, text, ...rest] = args as unknown as [unknown, unknown, ...unknown[]];
        const error = given instanceof Error ? given : (given as { err?: unknown } | null)?.err;
        if (!(error instanceof Error)) return write.apply(this, args);
        // A log line without a message would get the unfiltered message of the error.
        const message = typeof text === "string" ? text : errorRecord(error).message;
        const fields = given instanceof Error ? { err: given } : (given as object);
        const line = (more: object) =>
          write.apply(this, [{ ...fields, ...more }, message, ...rest] as unknown as typeof args);
        if (lineLevel < WARN || !isOutage(error)) return line({});
        outages.add(message, (times) => line(times === 1 ? {} : { times }));
      },
    },
  } satisfies Exclude<FastifyServerOptions["logger"], boolean | undefined>;
};
