import { type Turn, TurnEnded } from "../../store/queue/turn.js";
import { transact } from "../change/change.js";
import type { Context } from "../change/context.js";
import { markNext } from "./recompute.js";

/**
 * Marks the remaining time frames of a change, in transactions of limited size. May run again after an interruption.
 * @throws TurnEnded
 */
export async function markRest(ctx: Context, id: number, turn: Turn): Promise<void> {
  while (await transact(ctx, "recompute", (unit) => markNext(unit, id))) {
    if (turn.isOver) throw new TurnEnded();
  }
}
