import { readFileSync } from "node:fs";
import { join } from "node:path";

const UNIT = join(import.meta.dirname, "../../deploy/asi-server.service");

/** @returns the allocator settings that the systemd unit and the Dockerfile use */
export function allocatorSettings(): Record<string, string> {
  const found = readFileSync(UNIT, "utf8").matchAll(/\b(MALLOC_\w+)=(\d+)/g);
  return Object.fromEntries([...found].map(([, name = "", value = ""]) => [name, value]));
}
