import { extname } from "node:path";
import type { ConvertOptions } from "../api/convert.js";
import { AsiError } from "../errors.js";
import { FORMATS, formatNamed, formatOfFile } from "../formats/catalogue.js";
import type { FormatName } from "../formats/format.js";
import { isPipeOrDevice } from "./output-file.js";

const RECORDING = ".asi";
const TAB_SEPARATED = ".tsv";

/**
 * Returns the options, with the format that the name of the output selects. A name without an extension means CSV, and `.tsv`
 * means CSV with tabs. The names of pipes and devices select no format.
 *
 * @param output a path
 * @throws AsiError `BAD_OPTION` if the extension belongs to no format, or contradicts the format of the options
 */
export function withFormatOf<Options extends ConvertOptions>(output: string, options: Options): Options {
  if (isPipeOrDevice(output)) return options;
  const extension = extname(output).toLowerCase();
  const format =
    options.format === undefined ? formatByName(output, extension) : formatNamed(options.format).name;
  if (!isNameFor(format, output, extension)) {
    throw new AsiError(
      "BAD_OPTION",
      `The format is ${format}, but the extension of ${output} belongs to another; omit the option format, or use another name.`,
    );
  }
  const isTabbed = extension === TAB_SEPARATED && options.delimiter === undefined;
  return { ...options, format, ...(isTabbed && { delimiter: "\t" }) };
}

function formatByName(output: string, extension: string): FormatName {
  const format = formatOfFile(output);
  if (format !== null) return format.name;
  if (extension === "" || extension === TAB_SEPARATED) return "csv";
  const extensions = FORMATS.map((one) => one.extension).join(", ");
  throw new AsiError(
    "BAD_OPTION",
    `The extension of ${output} belongs to no known format; use one of ${extensions}, or select a format with the option format.`,
  );
}

/** Returns whether a file in the format may have this name. Extensions of unknown formats are accepted. */
function isNameFor(format: FormatName, output: string, extension: string): boolean {
  if (extension === RECORDING) return false;
  if (extension === TAB_SEPARATED) return format === "csv";
  const owner = formatOfFile(output)?.name ?? format;
  // GeoJSON lines are JSON lines, too
  return owner === format || (owner === "jsonl" && format === "geojsonl");
}
