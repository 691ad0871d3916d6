import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { Type } from "@sinclair/typebox";
import { convert, type Report } from "asi-convert";
import { readFileChunks } from "asi-convert/node";
import type { FastifyInstance } from "fastify";
import { receiveRecording } from "../files/receive.js";
import { Spool } from "../files/spool.js";
import { route } from "../route.js";

const ConversionForm = Type.Object({
  file: Type.String({ format: "binary", description: "The recording, an .asi file" }),
});

export function conversionRoutes(app: FastifyInstance): void {
  const spool = new Spool(app.config.dataDir);
  app.addHook("onClose", async () => spool.close());

  route(app, {
    id: "convertFile",
    tag: "Files",
    summary: "Convert an .asi file into a .csv file",
    description:
      "The CSV is named {serial}_{start}_{end}.csv. Header X-Asi-Report tells as JSON where every byte of the recording went.",
    method: "POST",
    path: "/api/v2/files/asi-to-csv/",
    consumes: "multipart/form-data",
    describedBody: ConversionForm,
    success: { status: 200, mediaType: "text/csv" },
    failures: [400],
    throttle: ["files"],
    takesSlot: true,
    async handle({ request, reply }) {
      const file = spool.file();
      // Comes once for every answer: sent, or cut off by the client.
      reply.raw.once("close", () => {
        file
          .remove()
          .catch((error: unknown) => request.log.error({ err: error }, "an upload was not removed"));
      });
      const { fileName, report } = await receiveRecording(request, file, app.config.convertMaxBytes);
      const { csv } = convert(readFileChunks(file.path));
      return reply
        .type("text/csv; charset=utf-8")
        .header("Content-Disposition", `attachment; filename="${fileName}"`)
        .header("X-Asi-Report", reportHeader(report))
        .send(Readable.fromWeb(csv as ReadableStream<Uint8Array>));
    },
  });
}

/** Clients and proxies take headers of 8 KiB or more, all together. */
const MAX_REPORT_LENGTH = 4096;

/** The report as one line of ASCII; without its ranges when they are many. */
function reportHeader(report: Report): string {
  const json = JSON.stringify(report);
  if (json.length <= MAX_REPORT_LENGTH) return json;
  const { ranges, ...rest } = report;
  return JSON.stringify({ ...rest, ranges_left_out: ranges.length });
}
