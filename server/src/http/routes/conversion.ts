import { Type } from "@sinclair/typebox";
import type { Report } from "asi-convert";
import type { FastifyInstance } from "fastify";
import { receiveAndConvert } from "../files/receive.js";
import { Spool } from "../files/spool.js";
import { clientLeft, onResponseEnd } from "../response-end.js";
import { FileResponse } from "../responses.js";
import { route } from "../route.js";
import { Slots } from "../slots.js";

const ConversionForm = Type.Object({
  file: Type.String({ format: "binary", description: "The recording, an .asi file" }),
});

/** CSVs that are on disk until their clients have read them. */
const MAX_WAITING_FILES = 64;
const MAX_WAITING_FILES_PER_USER = 8;

export function conversionRoutes(app: FastifyInstance): void {
  let spool: Spool | undefined;
  app.addHook("onReady", async () => {
    spool = await Spool.open(app.config.dataDir);
  });
  app.addHook("onClose", async () => spool?.close());
  const waiting = new Slots(MAX_WAITING_FILES, MAX_WAITING_FILES_PER_USER);

  route(app, {
    id: "convertFile",
    tag: "Files",
    summary: "Convert an .asi file into a .csv file",
    description:
      "The CSV is named {serial}_{start}_{end}.csv. The header X-Asi-Report accounts for every byte of the recording, as JSON.",
    method: "POST",
    path: "/api/v2/files/asi-to-csv/",
    consumes: "multipart/form-data",
    describedBody: ConversionForm,
    success: { status: 200, mediaType: "text/csv", isFile: true },
    failures: [400],
    throttle: ["files"],
    takesSlot: true,
    ignoresAccept: true,
    async handle({ request, reply }) {
      if (spool === undefined) throw new Error("The application is not ready");
      waiting.take(`${request.ctx.caller?.id}`, reply);
      const csv = spool.file();
      let isOver = false;
      onResponseEnd(reply, () => {
        isOver = true;
        csv
          .remove()
          .catch((error: unknown) => request.log.error({ err: error }, "converted file not removed"));
      });
      const { fileName, bytes, report } = await receiveAndConvert(request, csv, app.config.convertMaxBytes);
      // The client decides how long it takes to read the response.
      request.releaseSlot?.();
      const content = await csv.read().catch((error: unknown) => {
        // The file goes with the client.
        throw isOver ? clientLeft() : error;
      });
      reply.header("X-Asi-Report", reportHeader(report));
      return new FileResponse(fileName, bytes, content);
    },
  });
}

/** Clients and proxies accept at least 8 KiB for all headers together. */
const MAX_REPORT_LENGTH = 4096;

/** The report as one line of ASCII; without its ranges when there are too many. */
function reportHeader(report: Report): string {
  const json = JSON.stringify(report);
  if (json.length <= MAX_REPORT_LENGTH) return json;
  const { ranges, ...rest } = report;
  return JSON.stringify({ ...rest, ranges_left_out: ranges.length });
}
