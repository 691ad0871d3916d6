import { createInterface } from "node:readline/promises";

/** The operator has not confirmed an irreversible command. */
export class NotConfirmed extends Error {
  override readonly name = "NotConfirmed";
}

/**
 * Asks for confirmation of an irreversible command at the terminal. Fails without a terminal.
 * @throws NotConfirmed
 */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new NotConfirmed(`${question} This cannot be undone. Add --yes to confirm.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} This cannot be undone. [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new NotConfirmed("Nothing was changed.");
  } finally {
    terminal.close();
  }
}
