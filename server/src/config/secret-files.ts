import { readFileSync } from "node:fs";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the name of the variable that points to a file with the value of another variable. */
export const fileVariable = (variable: string): string => `${variable}_FILE`;

/**
 * Returns the value of a variable, or the content of the file in `NAME_FILE` without trailing line ends, because container
 * engines and systemd pass secrets as files.
 * @returns undefined if neither is set
 * @throws Error when both are set, or the file cannot be read or is empty
 */
export function secretValue(env: Environment, variable: string): string | undefined {
  const file = env[fileVariable(variable)] || undefined;
  if (file === undefined) return env[variable];
  if (env[variable]) throw new Error(`${fileVariable(variable)} is also set; set only one of them`);
  let content: string;
  try {
    content = readFileSync(file, "utf8").replace(/[\r\n]+$/, "");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the file of ${fileVariable(variable)} cannot be read: ${reason}`);
  }
  if (content === "") throw new Error(`the file of ${fileVariable(variable)} is empty: ${file}`);
  return content;
}
