export function runQuietly(
  line: string,
  command: string,
  args: readonly string[],
  say?: (text: string) => void,
): number;
