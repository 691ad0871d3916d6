import { effect, type Signal, signal } from "@preact/signals";
import { ApiError, type Client, createClient, type Job, newKey, unwrap } from "asi-client";
import { maxRecordingBytes, PAGE_ADDRESS } from "../../view/service.js";
import { AwayError } from "../connection.js";
import { askBeforeLosing } from "../parts/unsaved.js";
import type { Session } from "../session.js";
import type { StoredDetails } from "./account-of-upload.js";
import { NotUploaded } from "./not-uploaded.js";
import { JobRefusedError, type Refusal, refusalOf } from "./refusal.js";
import { sendWithProgress } from "./send-with-progress.js";
import { tooLarge } from "./too-large.js";

export type UploadState =
  | { step: "waiting" }
  /** `sentBytes` counts bytes of the file, not of the request. */
  | { step: "sending"; sentBytes: number }
  | { step: "storing"; isStarted: boolean }
  /** `serial` is the serial number of the device. `isRepeated` is true if the same file was uploaded before. */
  | { step: "stored"; details: StoredDetails; serial: string; isRepeated: boolean }
  | ({ step: "failed" } & Refusal)
  | { step: "cancelled" };

/** A file to upload. Its header names its device. */
export interface Upload {
  readonly file: File;
  readonly state: Signal<UploadState>;
  /** The idempotency key. A file that is sent again after a lost connection remains one job. */
  key: string;
  controller: AbortController;
}

/** Number of stored recordings. When it changes, views that show recordings load them again. */
export const storedUploads = signal(0);

/** Interval between requests for the state of a job. The page requests one job per interval. */
const POLL_MS = 500;
/** The interval while the service is unavailable. */
const AWAY_POLL_MS = 2000;

/** A file that the service has accepted. */
interface Accepted {
  job: Job;
  serial: string;
  isRepeated: boolean;
}

/** Returns whether an upload is in a final state, which only the user changes. */
export const isOver = ({ step }: UploadState) => !["waiting", "sending", "storing"].includes(step);

/** Returns whether a file must still be sent. The service stores a sent file even if the page is closed. */
const mustBeSent = (state: UploadState) =>
  state.step === "waiting" || state.step === "sending" || (state.step === "failed" && state.isTemporary);

/**
 * Sends files one after another, because the service receives one file of a user at a time. While the page sends a file, the service
 * stores the previous ones. The queue continues in other views.
 */
export class UploadQueue {
  /** Uploads of the signed-in account, oldest first. */
  readonly uploads: Signal<readonly Upload[]> = signal([]);
  /** The names of files from before a reload. */
  readonly notUploaded: NotUploaded;
  readonly #client: Client;
  readonly #stop: () => void;
  #isRunning = false;
  /** Number of files that are being stored. */
  #storing = 0;

  /** @param client client of the session; if there is no session, a request waits until the user has signed in again */
  constructor(client: Client, account: number) {
    this.#client = client;
    this.notUploaded = new NotUploaded(account);
    let known = "";
    const stopKeeping = effect(() => {
      const left = this.uploads.value.filter(({ state }) => mustBeSent(state.value));
      const names = left.map(({ file }) => file.name);
      // the progress of a file changes no name
      if (known === names.join("/")) return;
      known = names.join("/");
      this.notUploaded.keep(names);
    });
    const forget = askBeforeLosing({
      // uploads continue in other views
      lostWith: "page",
      isUnsaved: () => this.uploads.peek().some(({ state }) => mustBeSent(state.peek())),
      text: "Some recordings are not uploaded.",
    });
    this.#stop = () => {
      stopKeeping();
      forget();
    };
  }

  add(files: readonly File[]): void {
    const limitBytes = maxRecordingBytes.peek();
    const added = files.map(
      (file): Upload => ({
        file,
        state: signal<UploadState>(
          limitBytes !== null && file.size > limitBytes
            ? { step: "failed", ...tooLarge(file, limitBytes) }
            : { step: "waiting" },
        ),
        key: newKey(),
        controller: new AbortController(),
      }),
    );
    this.uploads.value = [...this.uploads.peek(), ...added];
    this.notUploaded.dismiss(files.map(({ name }) => name));
    this.#run();
  }

  /** Cancels an incomplete upload. The service then stores nothing. */
  cancel(upload: Upload): void {
    upload.controller.abort(new DOMException("Cancelled", "AbortError"));
    if (upload.state.peek().step === "waiting") upload.state.value = { step: "cancelled" };
  }

  /** Sends a file again after a refusal or a cancellation. */
  retry(upload: Upload): void {
    upload.controller = new AbortController();
    upload.state.value = { step: "waiting" };
    this.#run();
  }

  /** Removes finished uploads from the list. */
  dismiss(upload: Upload): void {
    this.uploads.value = this.uploads.peek().filter((one) => one !== upload);
  }

  /** Ends all uploads when the account is signed out. */
  end(): void {
    for (const upload of this.uploads.peek()) if (!isOver(upload.state.peek())) this.cancel(upload);
    this.uploads.value = [];
    this.notUploaded.dismiss();
    this.#stop();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    try {
      for (;;) {
        const next = this.uploads.peek().find(({ state }) => state.peek().step === "waiting");
        if (next === undefined) return;
        const sent = await this.#sendOne(next);
        if (sent !== null) this.#store(next, sent);
      }
    } finally {
      this.#isRunning = false;
    }
  }

  /** @returns null for a refused or cancelled file */
  async #sendOne(upload: Upload): Promise<Accepted | null> {
    let accepted: Accepted | null = null;
    await this.#orFailure(upload, async (signal) => {
      upload.state.value = { step: "sending", sentBytes: 0 };
      accepted = await this.#send(upload, signal);
      upload.state.value = { step: "storing", isStarted: false };
    });
    return accepted;
  }

  async #store(upload: Upload, { job, serial, isRepeated }: Accepted): Promise<void> {
    this.#storing += 1;
    await this.#orFailure(upload, async (signal) => {
      const { details } = await this.#waitFor(job, upload.state, signal);
      upload.state.value = {
        step: "stored",
        details: details as unknown as StoredDetails,
        serial,
        isRepeated,
      };
      storedUploads.value += 1;
    });
    this.#storing -= 1;
  }

  async #orFailure(upload: Upload, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { state, controller } = upload;
    const { signal } = controller;
    try {
      await work(signal);
    } catch (error) {
      state.value = signal.aborted
        ? { step: "cancelled" }
        : { step: "failed", ...refusalOf(error, upload.file, maxRecordingBytes.peek()) };
      // After a refusal, the service would refuse the same key again. Otherwise, it may have stored the file, and the key finds the job.
      const isRefused = error instanceof JobRefusedError || (error instanceof ApiError && error.status < 500);
      if (isRefused) upload.key = newKey();
      // detects that the service is unreachable, and retries later
      if (error instanceof AwayError) this.#client.GET("/api/v1/account/").catch(() => undefined);
    }
  }

  async #send({ file, state, key }: Upload, signal: AbortSignal): Promise<Accepted> {
    const sending = createClient({
      baseUrl: PAGE_ADDRESS,
      session: true,
      fetch: (request) =>
        sendWithProgress(request, (bytes) => {
          const sentBytes = Math.min(file.size, bytes);
          if (!signal.aborted) state.value = { step: "sending", sentBytes };
        }),
      onSessionEnd: async () => (await this.#client.GET("/api/v1/account/")).response.ok,
    });
    const { recordings } = await unwrap(
      sending.POST("/api/v2/recordings/", {
        // The body is the file itself, which its type cannot express.
        body: file as never,
        bodySerializer: (body) => body,
        headers: { "Content-Type": "application/octet-stream", "Idempotency-Key": key },
        signal,
      }),
    );
    const [accepted] = recordings;
    if (accepted?.job == null)
      throw new Error("The service did not report what it did with the file. Try again.");
    return { job: accepted.job, serial: accepted.serial_number ?? "", isRepeated: accepted.repeated };
  }

  async #waitFor({ job_id }: Job, state: Upload["state"], signal: AbortSignal): Promise<Job> {
    for (;;) {
      const job = await this.#look(job_id);
      if (job?.state === "SUCCESS") return job;
      if (job?.state === "FAILURE" || job?.state === "REVOKED") throw new JobRefusedError(job);
      state.value = { step: "storing", isStarted: job !== null && job.state !== "PENDING" };
      await new Promise((resolve) =>
        setTimeout(resolve, job === null ? AWAY_POLL_MS : POLL_MS * this.#storing),
      );
      signal.throwIfAborted();
    }
  }

  /** Requests the job. Returns null while the service is unavailable. The job continues independently of the page. */
  async #look(job: string): Promise<Job | null> {
    try {
      return await unwrap(this.#client.GET("/api/v1/jobs/{job}/", { params: { path: { job } } }));
    } catch (error) {
      if (error instanceof AwayError || (error instanceof ApiError && error.status >= 500)) return null;
      throw error;
    }
  }
}

let queue: UploadQueue | null = null;

/**
 * Returns the uploads of the signed-in account. They end with the session, because they would otherwise continue with the cookie of the
 * next session.
 */
export function uploadsOf(session: Session): UploadQueue {
  if (queue !== null) return queue;
  const { client } = session;
  const uploads = new UploadQueue(client, session.account.peek()?.id ?? 0);
  queue = uploads;
  const stop = session.account.subscribe(() => {
    // a new session has a new client
    if (session.client === client) return;
    uploads.end();
    queue = null;
    stop();
  });
  return uploads;
}
