/** Writes the table of all settings into docs/operating.md. A test compares it with the code. */
import { readFileSync, writeFileSync } from "node:fs";
import { withSettingsTable } from "./settings-table.js";

const page = new URL("../../docs/operating.md", import.meta.url);
writeFileSync(page, withSettingsTable(readFileSync(page, "utf8")));
