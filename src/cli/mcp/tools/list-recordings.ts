import type { Inspection } from "../../../reading/read-result.js";
import { info } from "../../run/info.js";
import { isDamaged } from "../../terminal/exit-status.js";
import type { Failure } from "../../terminal/problem.js";
import { boundedBytes } from "../folders.js";
import { instant } from "../recording-answer.js";
import { input, integer, text } from "../schema.js";
import { captured, type Surroundings, type Tool } from "../tool.js";

/** Maximum number of recordings in one result. */
const PAGE = 50;

/** Lists the recordings of a folder with the data of `asi info`. */
export const listRecordings: Tool = {
  name: "list_recordings",
  title: "List recordings",
  description:
    "Lists the recordings of a folder and its subfolders: file, device, start and end (UTC), recorded time, rows and damage. If no folder is given, lists the recordings of all folders.",
  inputSchema: input({
    folder: text("a folder, as named in results; default all"),
    offset: integer("number of recordings to skip, for the next page", 0, 1_000_000),
  }),
  output: { folders: "array", recordings: "array", total: "integer" },
  async answer({ folder, offset = 0 }, surroundings) {
    const { folders } = surroundings;
    const names = folder === undefined ? folders.names : [String(folder)];
    const found = names.map((name) => folders.recordings(folders.folder(name)));
    const files = found.flatMap((one) => one.files);
    const refused = found.flatMap((one) => one.refused);
    const first = Number(offset);
    const page = files.slice(first, first + PAGE);
    const recordings: object[] = [];
    for (const { path, name, bytes } of page)
      recordings.push(await contentOf(path, name, bytes, surroundings));
    return {
      folders: folders.names,
      recordings,
      total: files.length,
      ...(first + PAGE < files.length && { next_offset: first + PAGE }),
      ...(refused.length > 0 && { links_out_of_the_folders: refused }),
    };
  },
};

async function contentOf(path: string, file: string, bytes: number, surroundings: Surroundings) {
  try {
    await boundedBytes(path, bytes);
  } catch (error) {
    return { file, error: (error as { failure: Failure }).failure.error };
  }
  const { objects } = await captured(surroundings, (context) => info([path], { json: true }, context));
  const [found] = objects as (Inspection | Failure)[];
  if (found === undefined || "error" in found)
    return {
      file,
      error: found && { ...found.error, message: surroundings.folders.shown(found.error.message) },
    };
  const { info: device, report, recordedMs } = found;
  return {
    file,
    device: { serial: device.serial, name: device.deviceName, type: device.deviceType },
    start: instant(report.start),
    end: instant(report.end),
    recorded_s: recordedMs / 1000,
    rows: report.rows.total,
    rows_with_heart_rate: report.rows.withHr,
    is_damaged: isDamaged(report),
    skipped_bytes: report.bytes.skipped,
  };
}
