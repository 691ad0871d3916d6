import { Type } from "@sinclair/typebox";
import type { FastifyInstance } from "fastify";
import { AcceptedRecording, acceptArriving } from "../../domain/bulk-load/upload.js";
import { Nullable } from "../../wire/types.js";
import { problemFor } from "../errors.js";
import { allRefused, MAX_FILES, receiveRecordings } from "../files/receive-recordings.js";
import { pathPrefix } from "../path-prefix.js";
import { route } from "../route.js";

const UploadForm = Type.Object({
  file: Type.Array(Type.String({ format: "binary" }), {
    minItems: 1,
    maxItems: MAX_FILES,
    description: "Recordings, .asi files, each of which may be compressed with gzip",
  }),
});

const UploadedRecording = Type.Object(
  {
    name: Nullable(
      Type.String({
        description: "The file name in the form; null if the body is the file",
        examples: ["a.asi"],
      }),
    ),
    device: Nullable(AcceptedRecording.device),
    serial_number: Nullable(AcceptedRecording.serial_number),
    job: Nullable(AcceptedRecording.job),
    repeated: AcceptedRecording.repeated,
    problem: Type.Unsafe<ReturnType<typeof problemFor> | null>(
      Type.Null({
        description: "Reason why the file was refused; device, serial_number and job are then null",
        openapi: { anyOf: [{ $ref: "#/components/schemas/Problem" }, { type: "null" }] },
      }),
    ),
  },
  { $id: "UploadedRecording" },
);

const Uploaded = Type.Object({
  recordings: Type.Array(UploadedRecording, { description: "One entry per file, in order" }),
});

const REFUSED = { device: null, serial_number: null, job: null, repeated: false };

export function recordingRoutes(app: FastifyInstance): void {
  route(app, {
    id: "uploadRecordings",
    tag: "Files",
    version: 2,
    summary: "Upload recordings of your devices",
    description: `Stores the samples of one or many recordings (.asi files). The body is a file, or a form with up to ${MAX_FILES} files under the name \`file\`. The header of a recording names its device, which you must own now. Each recording gets a job; \`GET /api/v1/jobs/{job}/\` shows its state. A file that is refused has a \`problem\` instead and does not affect the others; if all are refused, the response is an error with a code for each. Every file counts towards the limit of files in a minute. Among the codes are \`unknown_device\`, \`too_large\`, \`throttled\` and those of the library, such as \`NOT_A_RECORDING\`. Repeat an upload that was interrupted: recordings that have arrived are not loaded again (\`repeated\`).`,
    isEnabled: ({ bulkLoadEnabled }) => bulkLoadEnabled,
    method: "POST",
    path: "/api/v2/recordings/",
    consumes: "multipart/form-data",
    consumesFile: true,
    describedBody: UploadForm,
    isRepeatable: true,
    success: {
      status: 202,
      schema: Uploaded,
      headers: { Location: "The path of the job, if the body is a file" },
    },
    failures: [400, 410],
    throttle: ["files"],
    takesSlot: true,
    async handle({ ctx, request, reply }) {
      const { bulkLoadMaxBytes, baseUrl } = app.config;
      let files = 0;
      const received = await receiveRecordings(request, bulkLoadMaxBytes, async (file) => {
        // The request itself has counted for the first file.
        if (files++ > 0) await app.throttle("files", request);
        return acceptArriving(ctx, file);
      });
      const refused = received.filter((file) => file.refused !== undefined);
      const [first] = received;
      if (!request.isMultipart() && first !== undefined) {
        if (first.refused !== undefined) throw first.refused;
        reply.header("Location", `${pathPrefix(baseUrl)}/api/v1/jobs/${first.accepted.job.job_id}/`);
      } else if (refused.length === received.length) throw allRefused(refused);
      return {
        recordings: received.map((file) =>
          file.refused === undefined
            ? { name: file.name, ...file.accepted, problem: null }
            : { name: file.name, ...REFUSED, problem: problemFor(file.refused) },
        ),
      };
    },
  });
}
