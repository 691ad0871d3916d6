import type { squadGrants } from "../../store/schema.js";

/** Returns a grant for the audit log. The erasure of an account finds `managerId` in it. */
export const grantAudit = (grant: typeof squadGrants.$inferSelect | null) => {
  if (grant === null) return null;
  const { guestId, ...columns } = grant;
  return { ...columns, managerId: guestId };
};
