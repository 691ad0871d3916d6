import type { RecordingService, Requests } from "./messages.js";
import type { SquadRequests } from "./squad/messages.js";
import workerUrl from "./worker.ts?worker&url";
import { WorkerClient } from "./worker-client.js";

/** Starts a worker that reads recordings of a squad. It uses the same script, which the browser loads only once. */
export const squadWorker = (name: string) => new WorkerClient<SquadRequests>(workerUrl, name);

/** The page's side of the worker that reads recordings and draws tracks. */
export class RecordingWorker extends WorkerClient<Requests> implements RecordingService {
  readonly canSave = true;

  constructor() {
    super(workerUrl, "recordings");
  }
}
