import { createHash } from "node:crypto";

/** Columns that the audit log never stores. */
const SECRETS = new Set(["passwordHash", "secretHash", "secretToken", "profilePicture"]);

/** Maximum size of a value as JSON text; the audit log stores the digest of a larger one. */
const MAX_VALUE_BYTES = 256;

/**
 * Returns the digest that the audit log stores instead of a long text. The digest shows whether the text changed, and
 * can prove its content.
 */
export function digestOf(text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  return `sha256:${hash} (${Buffer.byteLength(text)} bytes)`;
}

/** Returns the columns of a row for the audit log, without secrets and with digests instead of long values. */
export function auditedRow(row: Record<string, unknown> | null): Record<string, unknown> | null {
  if (row === null) return null;
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      SECRETS.has(name) && value !== null ? "***" : shortened(value),
    ]),
  );
}

function shortened(value: unknown): unknown {
  if (typeof value !== "string" && (typeof value !== "object" || value === null)) return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return Buffer.byteLength(text) > MAX_VALUE_BYTES ? digestOf(text) : value;
}
