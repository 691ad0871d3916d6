import { createHash } from "node:crypto";

/** Names of columns that no audit row may hold. */
const SECRETS = new Set(["passwordHash", "secretHash", "secretToken", "profilePicture"]);

/** Bytes of JSON text up to which the audit log holds the value of a column itself. */
const MAX_VALUE_BYTES = 256;

/** Digest that the audit log stores instead of a long text: it shows whether the text changed, and proves what it was. */
export function digestOf(text: string): string {
  const hash = createHash("sha256").update(text).digest("hex");
  return `sha256:${hash} (${Buffer.byteLength(text)} bytes)`;
}

/** The columns of a row as the audit log stores them: no secrets, and digests instead of long values. */
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
