import type { Method } from "../../operation.js";
import type { Json } from "./schemas.js";

/** Headers that every operation may send, as components of the document. */
export const HEADERS: Readonly<Record<string, Json>> = {
  RateLimit: {
    description:
      "Remaining calls (`r`) and seconds until the count restarts (`t`), for each limit that applies to the call",
    schema: { type: "string", examples: ['"user";r=2999;t=60, "rawData";r=59;t=60'] },
  },
  "RateLimit-Policy": {
    description: "Permitted calls (`q`) in a number of seconds (`w`), for the same limits",
    schema: { type: "string", examples: ['"user";q=3000;w=60, "rawData";q=60;w=60'] },
  },
  "X-Ignored": {
    description:
      "Query parameters and members of the body that had no effect, percent-encoded and separated by commas: parameters and members that are unknown to the operation, a `limit` that is not a positive number, and an `ordering` by unknown fields",
    schema: { type: "string", examples: ["colour, profile.nickname"] },
  },
  "X-Request-Id": {
    description: "Identifies the call in the log of the service",
    schema: { type: "string" },
  },
};

export const headerReferences: Json = Object.fromEntries(
  Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

export const IDEMPOTENCY_KEY: Json = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Makes the call safe to repeat: within 24 hours, calls with the same key, path and body take effect once and get the stored response",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" },
};

/**
 * Whether a key makes a call repeatable. The user must be known, and the body must not contain a password, because a
 * hash of it would be stored. Calls that are repeatable without a key, such as conversions, need none.
 */
export const takesIdempotencyKey = (
  method: Method,
  { isOpen, hasPassword, isRepeatable }: { isOpen: boolean; hasPassword: boolean; isRepeatable: boolean },
): boolean => method === "POST" && !isOpen && !hasPassword && !isRepeatable;
