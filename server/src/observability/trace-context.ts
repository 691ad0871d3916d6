import { randomBytes } from "node:crypto";

/** Version, trace, parent, flags (W3C, "Trace Context"). Later versions may have more fields, which are dropped. */
const TRACEPARENT =
  /^(?!ff)(?!00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?=$|-)/;

/** A trace that the service passes on to jobs and webhooks. */
export interface Trace {
  /** Trace id, 32 hexadecimal digits. */
  id: string;
  /** Parent span id, from the service or the caller; 16 hexadecimal digits. */
  parent?: string;
  /** Two hexadecimal digits: 01 if the trace is recorded, otherwise 00. Version 00 defines no other bit. */
  flags: string;
}

/** Returns the trace of a `traceparent` header; undefined for a missing or malformed header, which is ignored. */
export function readTrace(header: unknown): Trace | undefined {
  const found = typeof header === "string" ? TRACEPARENT.exec(header) : null;
  const [, id, parent, flags] = found ?? [];
  if (id === undefined || parent === undefined || flags === undefined) return undefined;
  return { id, parent, flags: Number.parseInt(flags, 16) & 1 ? "01" : "00" };
}

/** Generates the id of a span that is not recorded. */
export const newSpanId = (): string => randomBytes(8).toString("hex");

/** Returns the header of an outgoing call in the trace, for a service that records no spans. */
export const traceparentOf = ({ id, flags }: Trace): string => `00-${id}-${newSpanId()}-${flags}`;
