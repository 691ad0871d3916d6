import type { RecordingService, Requests } from "./messages.js";
import type { SquadRequests } from "./squad/messages.js";
import workerUrl from "./worker.ts?worker&url";
import { WorkerClient } from "./worker-client.js";

/** A worker that reads recordings of a squad: the same script, so that it is loaded once. */
export const squadWorker = (name: string) => new WorkerClient<SquadRequests>(workerUrl, name);

/** The worker that reads recordings and draws tracks, as the page sees it. */
export class RecordingWorker extends WorkerClient<Requests> implements RecordingService {
  readonly canSave = true;

  constructor() {
    super(workerUrl, "recordings");
  }
}
