import { transact } from "../src/domain/change/change.js";
import { type ActivityEventKind, emitActivityEvent } from "../src/domain/webhooks/events.js";
import type { TestService } from "./service.js";

/** Records an event as a change to the activity does, within a transaction. */
export const emit = (s: TestService, kind: ActivityEventKind, activityId: number, timeframeId?: number) =>
  transact(s.ctx, "test", (change) =>
    emitActivityEvent(change, kind, { activityId, ...(timeframeId === undefined ? {} : { timeframeId }) }),
  );
