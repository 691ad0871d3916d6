import type { FastifyServerOptions } from "fastify";
import { errorRecord } from "../error-record.js";

/** The service's log: JSON lines on stdout, without anything that users sent. */
export const logOptions = (level: string) =>
  ({
    level,
    // The reader of forms writes down its options, among them the request's headers with the token.
    serializers: { err: errorRecord, busboyOptions: () => undefined },
    hooks: {
      // Where a line has no text of its own, it would get the error's, as it is.
      logMethod(args, write) {
        const [given, text] = args as unknown as [unknown, unknown];
        const error = given instanceof Error ? given : (given as { err?: unknown } | null)?.err;
        if (text !== undefined || !(error instanceof Error)) return write.apply(this, args);
        const { message } = errorRecord(error);
        return write.apply(this, [given instanceof Error ? { err: given } : given, message] as typeof args);
      },
    },
  }) satisfies Exclude<FastifyServerOptions["logger"], boolean | undefined>;
