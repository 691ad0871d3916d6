import type { squadGrants } from "../../store/schema.js";

/** A grant for the audit log, in which the erasure of an account finds `managerId`. */
export const grantAudit = (grant: typeof squadGrants.$inferSelect | null) => {
  if (grant === null) return null;
  const { guestId, ...columns } = grant;
  return { ...columns, managerId: guestId };
};
