/** Tests that every exported function refuses a misspelt option, and names the correct one. */
import { describe, expect, it } from "vitest";
import * as csv from "../src/api/csv.js";
import * as json from "../src/api/json.js";
import * as library from "../src/index.js";
import * as metrics from "../src/metrics/index.js";
import * as onDisk from "../src/node.js";
import * as packed from "../src/packed/index.js";
import * as sheets from "../src/squad/sheets.js";
import * as squad from "../src/squad-report/index.js";
import * as squadReport from "../src/squad-report/squad-report.js";
import { asiInf, civilTime, joined, navPvt } from "./frames.js";
import { all, asiError } from "./whole.js";

const recording = joined([asiInf(), navPvt(civilTime(1000))]);
const { samples } = library.decodeSync(recording);
const header = { serial: "X" };
const demo = { startMs: 0, durationMs: 1000 };
const [recipe = expect.fail()] = metrics.RECIPES.map((one) => one.recipe);
const [member = expect.fail()] = squad.squadMembers(
  [{ fileName: "a.asi", serial: "X", samples, isDamaged: false, isTruncated: false, damagedAfterMs: [] }],
  null,
);

type Options = Record<string, unknown>;

/** A call of each function with options, one of its options without a letter, and the correct option. */
const WITH_OPTIONS: Record<string, [call: (options: Options) => unknown, misspelt: string, meant: string]> = {
  AsiCsvStream: [(options) => new library.AsiCsvStream(options), "delimter", "delimiter"],
  AsiDecoderStream: [(options) => new library.AsiDecoderStream(options), "evryMs", "everyMs"],
  RecordingReader: [
    (options) => new library.RecordingReader({ output: "csv", ...options }),
    "colums",
    "columns",
  ],
  accelerationSpeedProfile: [
    (options) => metrics.accelerationSpeedProfile([samples], { maxSpeed: 9, ...options }),
    "prset",
    "preset",
  ],
  computeMetrics: [(options) => metrics.computeMetrics(samples, options), "birthdat", "birthDate"],
  computeRecipe: [(options) => metrics.computeRecipe(samples, recipe, options), "fro", "from"],
  convert: [(options) => library.convert(recording, options), "formt", "format"],
  convertFile: [(options) => onDisk.convertFile("missing.asi", options), "onProgres", "onProgress"],
  convertSync: [(options) => library.convertSync(recording, options), "timeZon", "timeZone"],
  convertToFile: [(options) => onDisk.convertToFile(recording, options), "outdr", "outDir"],
  decode: [(options) => library.decode(recording, options), "filHrMs", "fillHrMs"],
  decodeBeats: [(options) => library.decodeBeats(recording, options), "stric", "strict"],
  decodeCsv: [(options) => csv.decodeCsv(recording, options), "timeZon", "timeZone"],
  decodeEcg: [(options) => library.decodeEcg(recording, options), "signl", "signal"],
  decodeRows: [(options) => library.decodeRows(recording, options), "fro", "from"],
  decodeSync: [(options) => library.decodeSync(recording, options), "engin", "engine"],
  demoRows: [(options) => library.demoRows({ ...demo, ...options }), "sed", "seed"],
  demoSquad: [(options) => library.demoSquad({ players: 11, startMs: 0, ...options }), "sed", "seed"],
  distanceCurve: [(options) => metrics.distanceCurve(samples, options), "prset", "preset"],
  encode: [(options) => library.encode([], { ...header, ...options }), "deviceNam", "deviceName"],
  encodeCsv: [(options) => onDisk.encodeCsv(recording, header, options), "delimitr", "delimiter"],
  figuresByInterval: [(options) => squad.figuresByInterval(member, options), "recipe", "recipes"],
  findDamage: [(options) => library.findDamage(recording, options), "seral", "serial"],
  formatLabelledSamples: [
    (options) => {
      const known = { format: "csv", labels: [], schema: "rows/1" };
      return library.formatLabelledSamples([], { ...known, ...options } as never).next();
    },
    "schma",
    "schema",
  ],
  formatSamples: [
    (options) =>
      library.formatSamples([samples], { format: "csv", info: header, ...options } as never).next(),
    "formt",
    "format",
  ],
  heartRateResponse: [(options) => metrics.heartRateResponse([samples], 1, options), "prset", "preset"],
  heartRateVariability: [(options) => metrics.heartRateVariability([], options), "atrest", "atRest"],
  initialize: [(options) => library.initialize(options), "modul", "module"],
  inspect: [(options) => library.inspect(recording, options), "seral", "serial"],
  inspectFile: [(options) => onDisk.inspectFile("missing.asi", options), "onPrgress", "onProgress"],
  inspectSync: [(options) => library.inspectSync(recording, options), "engne", "engine"],
  loadOverDays: [(options) => metrics.loadOverDays([], options), "rato", "ratio"],
  memberFigures: [(options) => squad.memberFigures(member, null, options), "prset", "preset"],
  metabolicEstimate: [(options) => metrics.metabolicEstimate(samples, options), "parms", "params"],
  peakCurve: [(options) => metrics.peakCurve(samples, "distance", options), "prset", "preset"],
  peakDemands: [(options) => metrics.peakDemands(samples, options), "prset", "preset"],
  profileSpeeds: [(options) => metrics.profileSpeeds(samples, options), "prset", "preset"],
  readFileChunks: [
    (options) => onDisk.readFileChunks("missing.asi", options).next(),
    "onprogres",
    "onProgress",
  ],
  recipeSensitivity: [(options) => metrics.recipeSensitivity(samples, recipe, options), "fro", "from"],
  repair: [(options) => library.repair(recording, options), "sgnal", "signal"],
  repairFile: [(options) => onDisk.repairFile("missing.asi", options), "outpt", "output"],
  sessionMaxSpeed: [(options) => metrics.sessionMaxSpeed(samples, options), "prset", "preset"],
  sessionSpeeds: [(options) => squad.sessionSpeeds(member, options), "prset", "preset"],
  squadRows: [(options) => squad.squadRows([member], [], options), "zone", "zones"],
  standardRuns: [(options) => metrics.standardRuns(samples, options), "prset", "preset"],
  samplesToCsv: [(options) => csv.samplesToCsv(samples, options), "heder", "header"],
  samplesToJson: [(options) => json.samplesToJson(samples, options), "befre", "before"],
  trimp: [(options) => metrics.trimp(samples, { method: "edwards", maxHr: 190 }, options), "fro", "from"],
};

/** Functions that take only data and named arguments, whose names they do not check. */
const WITHOUT_OPTIONS = [
  "AsiError",
  "asSessionPeriods",
  "beatsBetween",
  "benchOf",
  "byPosition",
  "canonicalRecipe",
  "cautionsOf",
  "cellText",
  "checkRecipe",
  "commonKey",
  "compareRecipes",
  "contentKey",
  "correctIntervals",
  "csvFileName",
  "csvInFile",
  "damageOf",
  "daysSinceLast",
  "decodeTrack",
  "decodeTrackBeats",
  "definitions",
  "dfaAlpha1",
  "distinctNames",
  "dotPicture",
  "figureDefinitions",
  "figureOf",
  "fileColumns",
  "findRanges",
  "findSessions",
  "fromBase64",
  "gapsAfter",
  "groundOf",
  "halvesOf",
  "hasZones",
  "hasZoneSpeeds",
  "heartRatePeriods",
  "heatMap",
  "highSpeedThresholds",
  "individualZones",
  "instantFormat",
  "intervalLabels",
  "intervalsFor",
  "isAtLeast",
  "isIncomplete",
  "isOptionalColumn",
  "isPlayedMatch",
  "isSameRecording",
  "isWholeEntry",
  "joinBatches",
  "joinedPeriods",
  "kmPerHText",
  "labelArtefacts",
  "lengthOf",
  "playerNotes",
  "limitsOf",
  "limitsOfIntervals",
  "mainInterval",
  "marksOf",
  "matchNote",
  "matchOf",
  "meanText",
  "metabolicSummary",
  "metricParameters",
  "nameKey",
  "namesIn",
  "namesInSessions",
  "newBatch",
  "normalBefore",
  "notesOf",
  "ofAnotherSport",
  "offIntervals",
  "offsetIn",
  "optionalColumns",
  "optionalFunctions",
  "ownParameters",
  "ownZones",
  "packSamples",
  "parameterProblems",
  "parametersIn",
  "periodsCsv",
  "periodShareWithHr",
  "periodSheetColumns",
  "periodsOutside",
  "pitchFrame",
  "playedPeriods",
  "playerNameOf",
  "playerOfRecording",
  "pooledProfile",
  "positionOf",
  "prepareSamples",
  "readPeriods",
  "readPitchCorners",
  "readRecipes",
  "readRoster",
  "recipeColumns",
  "recipeHash",
  "recipeText",
  "recordedSpans",
  "recordedTimeMs",
  "recordingsInWords",
  "refuseLargeRecipeFile",
  "refuseWrongDates",
  "reportColumns",
  "rowsBetween",
  "rowsOf",
  "seasonFigure",
  "seasonLoad",
  "seasonMaxSpeed",
  "seasonOf",
  "seasonRow",
  "seasonSpeeds",
  "seasonSummary",
  "sessionProfile",
  "sessionTime",
  "shareOfMatches",
  "sheetKind",
  "sheetOf",
  "shortHash",
  "sortRows",
  "speedColumns",
  "speedsAt",
  "speedStrip",
  "squadMembers",
  "squadReport",
  "squadRow",
  "standardRunChanges",
  "stretchesOf",
  "stripTimes",
  "suggestPeriods",
  "suggestSubstitutions",
  "summaryOf",
  "tableCsv",
  "tableNote",
  "tableParquet",
  "teamFrames",
  "teamShape",
  "teamShapeMeans",
  "textLayout",
  "toBase64",
  "united",
  "unitText",
  "unknownTrackers",
  "unpackSamples",
  "wholeRows",
  "withDamage",
  "without",
  "withoutFormula",
  "withoutRanges",
  "workbookSheets",
  "wrongLines",
];

const entries = [library, onDisk, csv, json, metrics, packed, squad, squadReport, sheets];
const exported = Object.entries(Object.assign({}, ...entries) as object)
  .filter(([, value]) => typeof value === "function")
  .map(([name]) => name);

it("every exported function is tested here", () => {
  expect(exported.sort()).toEqual([...Object.keys(WITH_OPTIONS), ...WITHOUT_OPTIONS].sort());
});

const attempt = async (call: () => unknown): Promise<void> => {
  await call();
};

describe("a misspelt option is refused with the correct name", () => {
  it.for(Object.entries(WITH_OPTIONS))("%s", async ([, [call, misspelt, meant]]) => {
    const error = await asiError(attempt(() => call({ [misspelt]: undefined })));
    expect(error.code).toBe("BAD_OPTION");
    expect(error.message).toContain(`"${misspelt}" is unknown; did you mean ${meant}?`);
  });
});

it("a misspelt parameter of metrics is refused", async () => {
  const params = { sprint_treshold: 5 };
  const error = await asiError(attempt(() => metrics.computeMetrics(samples, { params } as object)));
  expect(error.message).toBe('The parameter "sprint_treshold" is unknown; did you mean sprint_threshold?');
  expect(metrics.parametersIn({ ...params, max_hr: 190, coach: "A" })).toEqual({ max_hr: 190 });
});

it("the information about a recording is accepted as the header of a new one", async () => {
  const { info } = library.inspectSync(recording);
  const chunks = await all(library.encode(library.rowsOf(samples), info));
  expect(library.inspectSync(joined(chunks)).info).toEqual(info);
});
