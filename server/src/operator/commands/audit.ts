import { exportAudit } from "../../domain/exports/audit.js";
import { after, optionalDate, optionalInteger, optionalText } from "./arguments.js";
import type { Commands } from "./outcome.js";

/** Operator commands for the audit log. */
export const auditCommands = {
  async "audit export"(ctx, args) {
    const filters = {
      from: optionalDate(args, "from"),
      to: optionalDate(args, "to"),
      account: optionalText(args, "account"),
      accountId: optionalInteger(args, "accountId"),
    };
    return { ...(await exportAudit(ctx, filters, after(args))) };
  },
} satisfies Commands;
