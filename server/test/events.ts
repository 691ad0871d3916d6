import { transact } from "../src/domain/change/change.js";
import { type ActivityEventKind, emitActivityEvent } from "../src/domain/webhooks/events.js";
import type { TestService } from "./service.js";

/** Writes an event like a change to the activity, within its transaction. */
export const emit = (s: TestService, kind: ActivityEventKind, activityId: number, timeframeId?: number) =>
  transact(s.ctx, "test", (change) =>
    emitActivityEvent(change, kind, { activityId, ...(timeframeId === undefined ? {} : { timeframeId }) }),
  );
