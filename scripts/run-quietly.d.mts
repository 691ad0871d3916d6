import type { SpawnOptions } from "node:child_process";

export function runQuietly(
  args: string[],
  options?: SpawnOptions,
  say?: (text: string) => void,
): Promise<number>;
