import { existsSync } from "node:fs";
import { UsageError } from "../../config/usage-error.js";
import { findAthlete } from "../../domain/accounts/find.js";
import { transact } from "../../domain/change/change.js";
import type { Context } from "../../domain/change/context.js";
import { errors } from "../../domain/change/errors.js";
import { eraseForOperator, rowsOf } from "../../domain/deletion/erase.js";
import { reapplyErasures } from "../../domain/deletion/reapply.js";
import { exportAthlete } from "../../domain/exports/athlete.js";
import { erasureListNames, readErasures } from "../../store/backup/erasure-list.js";
import { writeNewFile } from "../new-file.js";
import { type Arguments, flag, idOf, optionalText, text } from "./arguments.js";
import type { OperatorContext, Outcome } from "./outcome.js";

/** Operator commands for the rights of data subjects. */
export const personalDataCommands = {
  async "athlete export"(ctx: Context, args: Arguments): Promise<Outcome> {
    const athlete = await findAthlete(idOf(args, "id"), { queries: ctx.queries, lock: false });
    const file = text(args, "output");
    const bytes = await writeNewFile(file, exportAthlete(ctx, athlete));
    await transact(ctx, "athlete export", ({ audit }) =>
      audit("account", athlete.id, null, { exportedBytes: bytes }),
    );
    return { athlete: athlete.id, file, bytes };
  },

  async "athlete erase"(ctx: Context, args: Arguments): Promise<Outcome> {
    const id = idOf(args, "id");
    if (!flag(args, "yes")) {
      await findAthlete(id, { queries: ctx.queries, lock: false });
      return {
        athlete: id,
        erased: false,
        rows: await rowsOf(ctx.queries, id),
        next: "Nothing was erased. Run the command again with --yes; this cannot be undone.",
      };
    }
    const proof = await eraseForOperator(ctx, id, { samples: flag(args, "samples") === true });
    return { athlete: id, erased: true, ...proof };
  },

  async "erasures apply"(ctx: OperatorContext, args: Arguments): Promise<Outcome> {
    const list = optionalText(args, "list");
    if (list !== undefined) {
      if (!existsSync(list)) throw new UsageError(`There is no file ${list}.`);
      // A crash may have truncated the only line of the service's own list, but not a list that someone names.
      if ((await readErasures(list)).length === 0 && (await erasureListNames(list)).length === 0)
        throw errors.file(
          "not_an_erasure_list",
          `The file ${list} is not a list of erasures. Correct --list.`,
        );
    }
    const { listed, erased, waiting } = await reapplyErasures(ctx, list);
    return { listed, erased, recordings_waiting: waiting };
  },
};
