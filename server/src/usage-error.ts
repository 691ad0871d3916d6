/** What the operator did wrong, in words; not worth a stack. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
