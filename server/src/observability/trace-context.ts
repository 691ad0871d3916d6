import { randomBytes } from "node:crypto";

/** Version, trace, parent, flags (W3C, "Trace Context"). Versions after 00 may have more fields, which are dropped. */
const TRACEPARENT =
  /^(?!ff)(?!00-.{53})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(?=$|-)/;

/** A trace, which the service passes on to jobs and webhooks. */
export interface Trace {
  /** 32 hexadecimal digits. */
  id: string;
  /** Parent span id: of the service, or of the caller; 16 hexadecimal digits. */
  parent?: string;
  /** Two hexadecimal digits: 01 if the trace is recorded, otherwise 00. Version 00 defines no other bit. */
  flags: string;
}

/** The trace of a `traceparent` header; undefined for one that is missing or malformed, which is ignored. */
export function readTrace(header: unknown): Trace | undefined {
  const found = typeof header === "string" ? TRACEPARENT.exec(header) : null;
  const [, id, parent, flags] = found ?? [];
  if (id === undefined || parent === undefined || flags === undefined) return undefined;
  return { id, parent, flags: Number.parseInt(flags, 16) & 1 ? "01" : "00" };
}

/** The id of a span that nobody records. */
export const newSpanId = (): string => randomBytes(8).toString("hex");

/** The header of a call within the trace, by a service that records no spans. */
export const traceparentOf = ({ id, flags }: Trace): string => `00-${id}-${newSpanId()}-${flags}`;
