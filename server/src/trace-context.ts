import { randomBytes } from "node:crypto";

/** Version, trace, parent, flags (W3C, "Trace Context"). A later version may have more fields, which are dropped. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?=$|-)/;

/** A caller's trace, which the service hands on. It records no spans itself. */
export interface Trace {
  /** 32 hexadecimal digits. */
  id: string;
  /** Two hexadecimal digits; the lowest bit says that the caller records the trace. */
  flags: string;
}

/** The trace of a `traceparent` header; undefined for one that is missing or malformed, which is ignored. */
export function readTrace(header: unknown): Trace | undefined {
  const found = typeof header === "string" ? TRACEPARENT.exec(header) : null;
  const [, id, flags] = found ?? [];
  return id === undefined || flags === undefined ? undefined : { id, flags };
}

/** The header of a call within the trace. */
export const traceparentOf = ({ id, flags }: Trace): string =>
  `00-${id}-${randomBytes(8).toString("hex")}-${flags}`;
