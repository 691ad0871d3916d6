import { pipeline, Readable } from "node:stream";
import type { StaticDecode } from "@sinclair/typebox";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { OperationId } from "../../domain/change/access.js";
import type { Context } from "../../domain/change/context.js";
import { PIECE_BYTES } from "../../domain/raw-data/arrow-stream.js";
import { auditDownload, type DownloadedObject } from "../../domain/raw-data/audit.js";
import { downloadAllSamples, downloadSamples } from "../../domain/raw-data/download.js";
import {
  extensionOf,
  type FileForm,
  SAMPLE_FILE_TYPES,
  type SampleFileFormat,
  SampleFileQuery,
} from "../../domain/raw-data/sample-file.js";
import { downloadSessionSamples, downloadSquadSamples } from "../../domain/sessions/samples.js";
import { auditedDownload } from "../files/audited-download.js";
import { compressorFor } from "../files/compressed.js";
import { SentMemory } from "../files/sent-memory.js";
import { ConcurrencyLimiter } from "../limits/concurrency-limiter.js";
import { preferredType } from "../negotiation.js";
import { FileResponse, type ResponseHead } from "../responses.js";
import { route } from "../route.js";

/** Maximum number of concurrent downloads in a process. A download to a slow client may take hours. */
const MAX_DOWNLOADS = 8;
const MAX_DOWNLOADS_PER_USER = 2;

const HOW =
  "CSV, JSON lines, Parquet or an Arrow IPC stream, for any length of time. `format`, `Accept` or the extension (`samples.csv`, `samples.jsonl`, `samples.parquet`, `samples.arrows`) selects the format. The service sends the file while it reads the samples. All formats except Parquet, which contains compressed columns, are compressed for clients that accept zstd (if the service runs on Node.js 22.15 or later) or gzip.";

/** Members shared by the operations. */
const COMMON = {
  version: 2,
  method: "GET",
  query: SampleFileQuery,
  success: {
    status: 200,
    mediaType: SAMPLE_FILE_TYPES.csv,
    otherMediaTypes: [SAMPLE_FILE_TYPES.jsonl, SAMPLE_FILE_TYPES.parquet, SAMPLE_FILE_TYPES.arrow],
    isFile: true,
  },
  failures: [400],
  throttle: ["files"],
  ignoresAccept: true,
} as const;

interface Download {
  ctx: Context;
  query: StaticDecode<typeof SampleFileQuery>;
  request: FastifyRequest;
  reply: ResponseHead;
}

export function sampleFileRoutes(app: FastifyInstance): void {
  const downloads = new ConcurrencyLimiter(MAX_DOWNLOADS, MAX_DOWNLOADS_PER_USER);

  async function fileOf(
    { ctx, query, request, reply }: Download,
    operation: OperationId,
    object: DownloadedObject,
    name: string,
    samples: (form: FileForm) => AsyncIterable<Uint8Array>,
  ): Promise<FileResponse> {
    await downloads.take(reply as FastifyReply);
    const format = query.format ?? preferredFormat(request);
    const memory = new SentMemory();
    let read = 0;
    const count = (size: number) => {
      read += size;
    };
    const { from = null, to = null } = query;
    const pieces = auditedDownload(samples({ format, allocate: memory.allocate, count }), request, (end) =>
      auditDownload(ctx, operation, object, { format, from, to, samples: read, end }),
    );
    reply.header("Vary", "Authorization, Cookie, Accept, Accept-Encoding");
    // For a HEAD request, the framework would read all samples and discard them.
    const source = request.method === "HEAD" ? [] : memory.given(pieces);
    const file = Readable.from(source, { objectMode: false, highWaterMark: PIECE_BYTES });
    const compressor = format === "parquet" ? undefined : compressorFor(request, reply);
    memory.follow(file, compressor ?? reply.raw);
    // An error of the file destroys the result.
    const content = compressor === undefined ? file : pipeline(file, compressor, () => undefined);
    return new FileResponse(`${name}.${extensionOf(format)}`, null, content, SAMPLE_FILE_TYPES[format]);
  }

  route(app, {
    ...COMMON,
    id: "downloadSamples",
    tag: "Raw data",
    summary: "Download the samples of a device as a file",
    description: `All samples while you owned the device, in chronological order, as \`asi convert\` writes them: ${HOW} To continue after an interruption, request the samples from the last complete row on.`,
    path: "/api/v2/devices/{device}/samples/",
    handle({ target, ...download }) {
      const { id } = target.device;
      return fileOf(download, "downloadSamples", { entity: "device", id }, `device-${id}`, (form) =>
        downloadSamples(download.ctx, target, download.query, form),
      );
    },
  });

  route(app, {
    ...COMMON,
    id: "downloadAllSamples",
    tag: "Raw data",
    summary: "Download the samples of all devices as one file",
    description: `All samples while you owned the devices, device by device, in chronological order, with a first column \`device\`, the serial number: ${HOW} To continue after an interruption, request the rest device by device.`,
    path: "/api/v2/samples/",
    handle(download) {
      const { ctx, query } = download;
      const object = { entity: "account", id: ctx.caller?.id ?? 0 } as const;
      return fileOf(download, "downloadAllSamples", object, "samples", (form) =>
        downloadAllSamples(ctx, query, form),
      );
    },
  });

  const PLAYERS =
    "with the columns `session` and `athlete` (their ids), `player` and `device` (the serial number) before the columns of the samples. Includes only time frames whose samples you may read.";

  route(app, {
    ...COMMON,
    id: "downloadSessionSamples",
    tag: "Sessions",
    summary: "Download the samples of a session as one file",
    description: `The samples of all players, player by player, ${PLAYERS} ${HOW}`,
    path: "/api/v2/sessions/{session}/samples/",
    handle({ target, ...download }) {
      const { id } = target;
      const object = { entity: "session", id } as const;
      return fileOf(download, "downloadSessionSamples", object, `session-${id}-samples`, (form) =>
        downloadSessionSamples(download.ctx, target, download.query, form),
      );
    },
  });

  route(app, {
    ...COMMON,
    id: "downloadSquadSamples",
    tag: "Squads",
    summary: "Download the samples of all sessions of a squad as one file",
    description: `Session by session, ordered by start, ${PLAYERS} ${HOW}`,
    path: "/api/v2/squads/{squad}/samples/",
    handle({ target, ...download }) {
      const { id } = target;
      const object = { entity: "squad", id } as const;
      return fileOf(download, "downloadSquadSamples", object, `squad-${id}-samples`, (form) =>
        downloadSquadSamples(download.ctx, target, download.query, form),
      );
    },
  });
}

/** Returns the format that `Accept` selects; CSV if it matches none. */
function preferredFormat(request: FastifyRequest): SampleFileFormat {
  const type = preferredType(request, Object.values(SAMPLE_FILE_TYPES));
  const formats = Object.keys(SAMPLE_FILE_TYPES) as SampleFileFormat[];
  return formats.find((format) => SAMPLE_FILE_TYPES[format] === type) ?? "csv";
}
