import { MAX_PICTURE_BYTES } from "../../domain/accounts/picture.js";
import { MAX_HOURS, MAX_RUNS, MAX_VALUES } from "../../domain/computed-data/optional-figures.js";
import { MAX_COMPUTED_SAMPLES } from "../../domain/computed-data/sample-limit.js";
import { MAX_DAYS_OF_RANGES, MAX_DAYS_OF_SAMPLES } from "../../domain/raw-data/bounds.js";
import { PAGE_LIFETIME_MS } from "../../domain/raw-data/page-cache.js";
import { MAX_LENGTH_DAYS } from "../../domain/sample-ownership/wearers.js";
import { MAX_PERIOD_ROWS, MAX_HOURS as MAX_SESSION_HOURS } from "../../domain/sessions/resource.js";
import { MAX_SESSIONS } from "../../domain/sessions/season.js";
import { MAX_SECRET_CHARACTERS, MAX_URL_CHARACTERS } from "../../domain/webhooks/resource.js";
import { ACCESS_TOKEN_LIFETIME_S } from "../../oauth/issue-tokens.js";
import { GPX_MAX_BYTES, MAX_RECIPES } from "../../store/json-schema-definitions.js";
import { MAX_CHUNK_SAMPLES } from "../../store/samples/index.js";
import { CURSOR_LIMITS, PAGE_LIMITS, SAMPLE_LIMITS } from "../../wire/page-limits.js";

const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;

/** Limits of the API for the documentation, without configurable rates and sizes. */
const LIMITS: readonly (readonly [limit: string, value: string])[] = [
  ["Results per page (`limit`)", `default ${PAGE_LIMITS.default}, at most ${PAGE_LIMITS.max}`],
  [
    "Results per page with cursors (`limit`)",
    `default ${CURSOR_LIMITS.default}, at most ${CURSOR_LIMITS.max}`,
  ],
  ["Raw data per page (`limit`)", `default ${SAMPLE_LIMITS.default}, at most ${SAMPLE_LIMITS.max}`],
  ["Latest raw data (`size`)", "at most 300"],
  ["From `start` to `stop` of raw data", `at most ${MAX_DAYS_OF_SAMPLES} days`],
  ["From `start` to `stop` of ranges", `at most ${MAX_DAYS_OF_RANGES} days`],
  ["Gap inside a raw data range", "at most 5 minutes"],
  ["Age of a page of raw data", `at most ${PAGE_LIFETIME_MS / 1000} seconds`],
  ["From `start_time` to `end_time` of a time frame", `at most ${MAX_LENGTH_DAYS} days`],
  ["From `start_time` to `end_time` of a session", `at most ${MAX_SESSION_HOURS} hours`],
  ["Rows of the periods of a session", `at most ${MAX_PERIOD_ROWS}`],
  ["Sessions of a season", `at most ${MAX_SESSIONS}`],
  ["Optional figures, and recipes", `at most ${MAX_HOURS} hours of samples`],
  ["Samples of a device in five minutes", `at most ${MAX_CHUNK_SAMPLES}`],
  ["Samples of a time frame", `at most ${MAX_COMPUTED_SAMPLES}`],
  ["Recipes of a time frame", `at most ${MAX_RECIPES}`],
  ["Values in equal steps of a recipe", `at most ${MAX_VALUES}`],
  ["Listed runs of a recipe", `at most ${MAX_RUNS}`],
  ["Validity of an access token", `${ACCESS_TOKEN_LIFETIME_S} seconds`],
  ["`custom_name`", "at most 60 characters"],
  ["`webhook_url`", `at most ${MAX_URL_CHARACTERS} characters`],
  ["`secret_token`", `at most ${MAX_SECRET_CHARACTERS} characters`],
  ["`gpx`", `at most ${mib(GPX_MAX_BYTES)}`],
  ["`profile_picture`", `at most ${mib(MAX_PICTURE_BYTES)}`],
];

const COLUMN = Math.max(...LIMITS.map(([limit]) => limit.length));
const VALUE = Math.max(...LIMITS.map(([, value]) => value.length));
const row = (limit: string, value: string) => `| ${limit.padEnd(COLUMN)} | ${value.padEnd(VALUE)} |`;

/** Limits as a Markdown table. */
export const limitsTable = [
  row("Limit", "Value"),
  `| ${"-".repeat(COLUMN)} | ${"-".repeat(VALUE)} |`,
  ...LIMITS.map(([limit, value]) => row(limit, value)),
].join("\n");
