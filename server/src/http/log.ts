import type { FastifyServerOptions } from "fastify";
import { errorRecord } from "../error-record.js";

/** The service's log: JSON lines on stdout, without anything that users sent. */
export const logOptions = (level: string) =>
  ({
    level,
    // The multipart parser logs its options, including the request headers with the token.
    serializers: { err: errorRecord, busboyOptions: () => undefined },
    hooks: {
      // A log line without a message would get the unfiltered message of the error.
      logMethod(args, write) {
        const [given, text] = args as unknown as [unknown, unknown];
        const error = given instanceof Error ? given : (given as { err?: unknown } | null)?.err;
        if (text !== undefined || !(error instanceof Error)) return write.apply(this, args);
        const { message } = errorRecord(error);
        return write.apply(this, [given instanceof Error ? { err: given } : given, message] as typeof args);
      },
    },
  }) satisfies Exclude<FastifyServerOptions["logger"], boolean | undefined>;
