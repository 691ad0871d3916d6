import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ApiError } from "asi-client";
import { describe, expect, it } from "vitest";
import { sentenceOf } from "../src/app/parts/refusal-words.js";
import { refusalInWords } from "../src/recording/service-words.js";

const SERVER = fileURLToPath(new URL("../../server/src/", import.meta.url));
const TEXT = /"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g;
/** Files in which every text may be a message about a field. */
const ALL_OF = /(?:validation|date-time)\.ts$/;
/** Messages of the command line. Only the operator reads them. */
const IS_OPERATORS = /--\w|npm run|^There is no (?:account|job|webhook)\b/;

interface Message {
  /** The function that throws the message, such as `forbidden`. `field` for an error of a field, `line` for one of a line in a file. */
  kind: string;
  text: string;
}

/** Returns the text between a bracket and its counterpart. */
function withinBrackets(source: string, begin: number): string {
  let depth = 1;
  let at = begin;
  for (; depth > 0 && at < source.length; at++) {
    if (source[at] === "(") depth += 1;
    if (source[at] === ")") depth -= 1;
  }
  return source.slice(begin, at - 1);
}

/** Returns the constants of a file whose names are in a part of it. */
const constantsIn = (part: string, source: string): string =>
  [...part.matchAll(/\b[A-Z][A-Z_]+\b/g)]
    .map(([name]) => new RegExp(`^const ${name} =([^;]*);`, "m").exec(source)?.[1] ?? "")
    .join(" ");

/** Reads the messages of the service from its source, because tests cannot cause all of them. Sevens replace the values in them. */
function messagesOfService(): Message[] {
  const found: Message[] = [];
  for (const folder of ["domain", "http", "wire"]) {
    for (const file of readdirSync(`${SERVER}${folder}`, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
      const source = readFileSync(`${SERVER}${folder}/${file}`, "utf8");
      const places: [kind: string, part: string][] = ALL_OF.test(file) ? [["field", source]] : [];
      for (const { 0: call, 1: kind = "", index } of source.matchAll(/errors\.(\w+)\(/g))
        places.push([kind, withinBrackets(source, index + call.length)]);
      for (const { 0: call, index } of source.matchAll(/problems\.add\(/g))
        places.push(["line", withinBrackets(source, index + call.length)]);
      for (const [part] of source.matchAll(
        /problem: ?(?:"[^"]*"|`[^`]*`)|\[\s*(?:"[A-Z][^"]*"|`[^`]*`),?\s*\]/g,
      ))
        places.push(["field", part]);
      for (const [kind, part] of places) {
        const texts = `${part} ${constantsIn(part, source)}`;
        for (const [text] of texts.match(TEXT)?.map((one) => [one.slice(1, -1)] as const) ?? []) {
          const message = text.replace(/\$\{[^}]*\}/g, "7");
          if (/^[A-Z7].* .*\.$/.test(message) && !IS_OPERATORS.test(message))
            found.push({ kind: kind === "invalid" ? "field" : kind, text: message });
        }
      }
    }
  }
  return found;
}

/** Words of the API, such as names of fields and headers, and messages about "this field". */
const WORDS_OF_API =
  /\w_\w|\b[Tt]his (?:field|value|list|document)\b|\bEnsure\b|JSON|base64|WRITE|[a-z]-Key\b|X-|\bstart and stop\b|%2B|\bbody\b|\/api\/|`/;

const STATUSES: Readonly<Record<string, number>> = {
  conflict: 409,
  notFound: 404,
  malformed: 400,
  tooLarge: 413,
};

function inWords({ kind, text }: Message): string {
  if (kind === "field") return sentenceOf(text, "one.start_time", () => "Beginning, s");
  if (kind === "line") return text;
  const response = new Response(null, { status: STATUSES[kind] ?? 403 });
  return refusalInWords(new ApiError(response, { detail: text }));
}

describe("the messages of the service", () => {
  const messages = messagesOfService();

  it("are found in its source", () => {
    expect(messages.length).toBeGreaterThan(80);
    expect(messages).toContainEqual({ kind: "field", text: "Must be after start_time." });
    expect(messages).toContainEqual({ kind: "forbidden", text: "The activity must be your own." });
    expect(messages).toContainEqual({ kind: "line", text: "You no longer have access to 7." });
    expect(messages).toContainEqual({ kind: "field", text: "This value is already taken." });
  });

  it("reach users without names of the API", () => {
    expect(messages.map(inWords).filter((sentence) => WORDS_OF_API.test(sentence))).toEqual([]);
  });
});

describe("a refusal whose messages belong to fields that no form has", () => {
  it("does not name the fields", () => {
    const error = new ApiError(new Response(null, { status: 400 }), { stop: ["Must not be before start."] });
    expect(error.message).toBe("stop: Must not be before start.");
    expect(refusalInWords(error)).toBe("The service refused the data that the page sent.");
  });
});
