import { rowTemplate } from "../row-text/template.js";
import { textFormat } from "./text-format.js";

/** JSON lines: an object for each row; its keys are the column names of the CSV. */
export const openJsonl = textFormat({
  row: rowTemplate([
    '{"timestamp":"',
    { field: "isoTime" },
    '","latitude":',
    { field: "latitude" },
    ',"longitude":',
    { field: "longitude" },
    ',"altitude":',
    { where: "altitude", given: [{ field: "altitude" }], missing: ["null"] },
    ',"speed":',
    { field: "speed" },
    ',"hr":',
    { where: "hr", given: [{ field: "hr" }], missing: ["null"] },
    "}\n",
  ]),
});
