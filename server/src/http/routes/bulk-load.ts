import type { FastifyInstance } from "fastify";
import { AsiBase64, acceptBulkLoad, bulkLoadBodyBytes } from "../../domain/bulk-load/accept.js";
import { JobResource, jobItem } from "../../domain/bulk-load/job.js";
import { type RecordingBody, receiveRecording } from "../files/recording-body.js";
import { route } from "../route.js";
import { decoder } from "../validation.js";

const tag = "Files";

export function bulkLoadRoutes(app: FastifyInstance): void {
  const maxBytes = app.config.bulkLoadMaxBytes;
  const bodyBytes = bulkLoadBodyBytes(maxBytes);
  const readBody = decoder(AsiBase64);
  route(app, {
    id: "bulkLoad",
    tag,
    summary: "Bulk load an .asi file for a device",
    description:
      "Stores the samples of a recording of this device. The response is a job. Loading a file twice adds nothing.",
    deprecated: true,
    sunset: { date: "Mon, 30 Jun 2025 23:59:59 GMT", successor: "/api/v2/recordings/" },
    isEnabled: ({ bulkLoadEnabled }) => bulkLoadEnabled,
    method: "POST",
    path: "/api/v1/devices/{device}/bulk-load/",
    describedBody: AsiBase64,
    bodyLimitBytes: bodyBytes,
    receive: (request, payload) =>
      receiveRecording(request, payload, { field: "asi_b64", maxBytes, bodyBytes }),
    success: { status: 200, schema: JobResource },
    failures: [400, 410],
    throttle: ["files"],
    takesSlot: true,
    handle({ ctx, target, request }) {
      const { json, recording } = (request.body ?? {}) as Partial<RecordingBody>;
      readBody(json);
      return acceptBulkLoad(ctx, target, recording ?? new Uint8Array());
    },
  });

  route(app, {
    id: "retrieveJob",
    tag,
    summary: "Get the state and details of a job",
    deprecated: true,
    method: "GET",
    path: "/api/v1/jobs/{job}/",
    success: { status: 200, schema: JobResource },
    handle: async ({ target }) => jobItem(target),
  });
}
