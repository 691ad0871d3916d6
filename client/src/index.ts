import createFetchClient, {
  defaultBodySerializer,
  type Client as FetchClient,
  type MaybeOptionalInit,
} from "openapi-fetch";
import { ApiError, type Job, JobFailedError, unwrap } from "./errors.js";
import { blobOf, bulkLoadBody, fileNameOf, formOf, type RecordingSource } from "./recordings.js";
import { type RetryOptions, sendWithRetries, sleep } from "./retry.js";
import { type components, openOperations, type paths } from "./schema.js";

export {
  ApiError,
  type components,
  fileNameOf,
  type Job,
  JobFailedError,
  type paths,
  type RecordingSource,
  unwrap,
};

/** The resources of the API by name, such as `Resource["Device"]`. */
export type Resource = components["schemas"];

export interface ClientOptions extends RetryOptions {
  /** Address of the service, without `/api/`. */
  baseUrl: string;
  /** The access token, or a function that returns a valid one. The client calls the function for each request. */
  token?: string | (() => string | Promise<string>);
  /** Uses the session of the page instead of a token. This requires a page on the origin of the service. */
  session?: boolean;
  /** Replaces `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The type of one result in a list. */
type Listed<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": { results: (infer Result)[] } } } } };
}
  ? Result
  : never;

/** The paths of the lists in the API. */
export type ListPath = { [Path in keyof paths]: [Listed<Path>] extends [never] ? never : Path }[keyof paths];

type ListInit<Path extends ListPath> = MaybeOptionalInit<paths[Path], "get">;

export interface SendOptions {
  signal?: AbortSignal;
}

export interface UploadOptions extends SendOptions {
  /** An idempotency key. For 24 hours, repeated uploads with the same key are one job. Default: a new key for each call. */
  idempotencyKey?: string;
}

export interface WaitOptions extends SendOptions {
  /** Interval at which the client polls the job, ms. Default: 500. */
  intervalMs?: number;
}

export interface ConvertedFile {
  /** The file name, `{serial}_{start}_{end}.csv`. */
  fileName: string;
  /** The report on every byte of the recording, as from `asi-convert`. */
  report: unknown;
  csv: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** `GET`, `POST`, `PUT`, `PATCH` and `DELETE` for every documented path, and functions for tasks that take several requests. */
export interface Client extends FetchClient<paths> {
  /**
   * Yields the results of a list and loads its pages one after another.
   * @throws ApiError
   */
  list<Path extends ListPath>(
    path: Path,
    ...init: undefined extends ListInit<Path> ? [ListInit<Path>?] : [ListInit<Path>]
  ): AsyncGenerator<Listed<Path>, void>;
  /**
   * Uploads a recording of a device.
   * @returns the job that stores the recording; pass its `job_id` to `waitForJob`
   * @throws ApiError
   */
  upload(device: number, recording: RecordingSource, options?: UploadOptions): Promise<Job>;
  /**
   * Uploads up to 100 recordings in one request. They may come from any devices that the user owns. If a recording was uploaded before,
   * the service does not load it again.
   * @returns for each recording its device and job, or the reason why the service refused it
   * @throws ApiError if the service refuses all recordings
   */
  uploadRecordings(
    recordings: readonly RecordingSource[],
    options?: SendOptions,
  ): Promise<Resource["UploadedRecording"][]>;
  /**
   * Waits until a job has ended.
   * @throws JobFailedError when it ends without success; ApiError
   */
  waitForJob(jobId: string, options?: WaitOptions): Promise<Job>;
  /**
   * Converts a recording to CSV. A device is not required.
   * @throws ApiError
   */
  convert(recording: RecordingSource, options?: SendOptions): Promise<ConvertedFile>;
}

/** The serializer. openapi-fetch also passes the headers, which its type omits; they show whether the body is a form. */
const serialize: (body: unknown, headers?: Headers) => string = defaultBodySerializer;

const isCsv = (body: unknown, headers?: Headers): body is string =>
  typeof body === "string" && new Headers(headers).get("Content-Type") === "text/csv";

/** Returns a random key of 32 hexadecimal digits, for example for `Idempotency-Key`. */
// `crypto.randomUUID` is missing in pages without TLS
export const newKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Creates a client of a service.
 *
 * The client adds an `Idempotency-Key` to each POST that lacks one, so a POST can be repeated. It repeats a request up to `retries` times
 * if a 429 or 503 contains `Retry-After`.
 */
export function createClient(options: ClientOptions): Client {
  const { token, session = false } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, "");
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  // Only a session can be renewed during a request, because the browser adds its cookie. A token is part of the request.
  const { onSessionEnd, ...retryOptions } = options;
  const renewable = session && onSessionEnd !== undefined ? { ...retryOptions, onSessionEnd } : retryOptions;
  const send = (newRequest: () => Request) => sendWithRetries(newRequest, fetch, renewable);

  const credentials = async (headers: Headers): Promise<void> => {
    if (session) headers.set("X-Asi-Page", "1");
    else if (token !== undefined && !headers.has("Authorization")) {
      headers.set("Authorization", `Bearer ${typeof token === "string" ? token : await token()}`);
    }
  };

  const client = createFetchClient<paths>({
    baseUrl,
    bodySerializer: (body: unknown, headers?: Headers) =>
      formOf(body) ?? (body instanceof Blob || isCsv(body, headers) ? body : serialize(body, headers)),
    fetch: (request) => send(() => request.clone()),
  });
  client.use({
    async onRequest({ request, schemaPath }) {
      const isOpen = openOperations.has(`${request.method} ${schemaPath}`);
      if (!isOpen || session) await credentials(request.headers);
      // Without authentication, the service cannot assign a key to an account.
      if (request.method === "POST" && !isOpen && !request.headers.has("Idempotency-Key")) {
        request.headers.set("Idempotency-Key", newKey());
      }
    },
  });

  /** Sends a body that is too long to be copied for each attempt. */
  async function sendRecording(
    path: string,
    body: Blob | FormData | null,
    key: string,
    signal?: AbortSignal,
  ) {
    const headers = new Headers({ "Idempotency-Key": key });
    if (body instanceof Blob) headers.set("Content-Type", body.type);
    await credentials(headers);
    const init = { method: "POST", headers, body, ...(signal === undefined ? {} : { signal }) };
    const response = await send(() => new Request(`${baseUrl}${path}`, init));
    if (!response.ok) throw await ApiError.of(response);
    return response;
  }

  return {
    ...client,

    async *list(path, init?) {
      const params = (init as { params?: { query?: object } } | undefined)?.params;
      for (let place: object | null = {}; place !== null; ) {
        // TypeScript cannot derive the types of all paths from those of one path.
        const paged = { ...init, params: { ...params, query: { ...params?.query, ...place } } } as never;
        const { results, next } = (await unwrap(client.GET(path as never, paged))) as {
          results: never[];
          next: number | string | null;
        };
        yield* results;
        // Version 1 of the API numbers its pages. Version 2 uses cursors.
        place = next === null ? null : typeof next === "number" ? { page: next } : { cursor: next };
      }
    },

    async upload(device, recording, { idempotencyKey = newKey(), signal } = {}) {
      const body = await bulkLoadBody(await blobOf(recording));
      const path = `/api/v1/devices/${device}/bulk-load/`;
      return (await sendRecording(path, body, idempotencyKey, signal)).json() as Promise<Job>;
    },

    async uploadRecordings(recordings, { signal } = {}) {
      const file = await Promise.all(recordings.map(blobOf));
      const response = await sendRecording("/api/v2/recordings/", formOf({ file }), newKey(), signal);
      return ((await response.json()) as { recordings: Resource["UploadedRecording"][] }).recordings;
    },

    async waitForJob(jobId, { intervalMs = 500, signal } = {}) {
      for (;;) {
        const job: Job = await unwrap(
          client.GET("/api/v1/jobs/{job}/", {
            params: { path: { job: jobId } },
            ...(signal === undefined ? {} : { signal }),
          }),
        );
        if (job.state === "SUCCESS") return job;
        if (job.state === "FAILURE" || job.state === "REVOKED") throw new JobFailedError(job);
        await sleep(intervalMs, signal);
      }
    },

    async convert(recording, { signal } = {}) {
      const form = new FormData();
      form.append("file", await blobOf(recording), "recording.asi");
      const response = await sendRecording("/api/v2/files/asi-to-csv/", form, newKey(), signal);
      return {
        fileName: fileNameOf(response) ?? "recording.csv",
        report: JSON.parse(response.headers.get("X-Asi-Report") ?? "null"),
        csv: response.body ?? new Blob([]).stream(),
      };
    },
  };
}

/** The parameters of a token request (RFC 6749 sections 4.3.2 and 6). */
export type TokenRequest = { client_id: string; client_secret: string } & (
  | { username: string; password: string }
  | { refresh_token: string }
);

/**
 * Obtains an access token and a refresh token. Only programs that can keep the secret of an application may use it.
 * @throws ApiError
 */
export function obtainToken(
  { baseUrl, ...options }: Omit<ClientOptions, "token" | "session">,
  request: TokenRequest,
): Promise<Resource["Token"]> {
  const grant_type = "refresh_token" in request ? "refresh_token" : "password";
  return unwrap(
    createClient({ baseUrl, ...options }).POST("/oauth2/token/", {
      body: { grant_type, ...request },
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    }),
  );
}
