/** The command was called in a way that makes no sense; nothing has been done. `message` says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
