import type { UnitOfWork } from "./unit-of-work.js";

/**
 * Thrown in a transaction that would change too many rows. `transact` rolls it back, makes most of these changes in transactions of
 * limited size, and runs it again.
 */
export class InPartsFirst extends Error {
  override readonly name = "InPartsFirst";
  readonly operation: string;
  /** Makes some of the changes. Returns whether there are more. */
  readonly part: (unit: UnitOfWork) => Promise<boolean>;

  constructor(operation: string, part: (unit: UnitOfWork) => Promise<boolean>) {
    super("A transaction would change too many rows");
    this.operation = operation;
    this.part = part;
  }
}
