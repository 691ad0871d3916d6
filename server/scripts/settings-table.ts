import { describeConfig } from "../src/config/config.js";

const BEGIN = "<!-- settings:begin, written by npm run settings -w server -->";
const END = "<!-- settings:end -->";

/** Units by the suffix of a name; other settings are counts or not numbers. */
const UNITS: readonly [RegExp, string][] = [
  [/_MS$/, "ms"],
  [/_DAYS$/, "days"],
  [/_BYTES_PER_SECOND$/, "bytes/s"],
  [/_BYTES_PER_HOUR$/, "bytes/h"],
  [/_BYTES(_PER_CALLER)?$/, "bytes"],
  [/_PER_MINUTE$/, "per minute"],
  [/_PER_HOUR$/, "per hour"],
  [/^THROTTLE_.*_PER_DAY$/, "per day"],
];

const unitOf = (variable: string): string => UNITS.find(([end]) => end.test(variable))?.[1] ?? "";

const BINARY: readonly [number, string][] = [
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
];

/** Formats a number as in the environment. For bytes, adds a readable form. */
function numberText(value: string, unit: string): string {
  const [size, name] = BINARY.find(([one]) => Number(value) % one === 0) ?? [];
  const readable = unit.startsWith("bytes") && size !== undefined ? ` (${Number(value) / size} ${name})` : "";
  return `\`${value}\`${readable}`;
}

/** Returns all settings of the service as a Markdown table. */
export function settingsTable(): string {
  const rows = describeConfig({}).map(({ variable, default: fallback, about }) => {
    const unit = unitOf(variable);
    // If the default is not a plain value, the end of the description states it.
    const [, meaning = about, inWords] = /^(.*?); default:? ([^;]*)(?=$|;)/.exec(about) ?? [];
    const file = /; [A-Z_]+_FILE names a file that contains it$/.exec(about)?.[0] ?? "";
    const shown = inWords ?? (fallback === "" ? "none" : numberText(fallback, unit));
    return [`\`${variable}\``, shown, unit, meaning.endsWith(file) ? meaning : meaning + file];
  });
  const head = ["variable", "default", "unit", "meaning"];
  const lines = [head, head.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
  );
  return lines.join("\n");
}

/**
 * Returns the page with the current table between its marks.
 * @throws Error if the page has no marks
 */
export function withSettingsTable(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`The page has no ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin)}${BEGIN}\n\n${settingsTable()}\n\n${page.slice(end)}`;
}
