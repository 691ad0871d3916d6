/** An error that the operator can correct. It is shown without a stack. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
