/** An error that the operator can correct. Printed without a stack. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
