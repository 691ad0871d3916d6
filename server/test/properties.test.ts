/** Whatever is sent, the answer is one that the OpenAPI document foresees: its status, and its body's shape. */
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conditions, odd, type Schema, Values } from "./arbitraries.js";
import { newScene, type Scene } from "./scene.js";
import { type Answer, service } from "./service.js";

const RUNS = 25;
/** Of operations that may end what the others are tried on. */
const ENDING_RUNS = 8;

const s = await service();
const document: Schema = (await s.get("/api/schema/")).body;
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, "document");

let scene: Scene | undefined;
/** The people and things that requests are about; new ones when an operation has ended some. */
const current = async () => {
  scene ??= await newScene(s);
  return scene;
};

const values = new Values(document.components.schemas, () => ({
  ...scene?.ids,
  owner: scene?.owner.id ?? 1,
  managed_by: scene?.owner.id ?? 1,
}));

const operations = Object.entries<Record<string, Schema>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, entry]) => ({ path, method: method.toUpperCase(), entry })),
);

const PEOPLE = ["owner", "owner", "thatAthlete", "anotherManager", "anotherAthlete", null] as const;

const pointerTo = (...steps: string[]) =>
  steps.map((step) => `/${encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("");

function requireDocumented(path: string, method: string, entry: Schema, answer: Answer): void {
  const { status, body } = answer;
  expect([path, method, Object.keys(entry.responses)]).toEqual([
    path,
    method,
    expect.arrayContaining([String(status)]),
  ]);
  expect([path, method, body, status < 500]).toEqual([path, method, body, true]);
  const { $ref } = entry.responses[status];
  const response = $ref ? document.components.responses[$ref.split("/").at(-1)] : entry.responses[status];
  if (response.content?.["application/json"] === undefined) return;
  const pointer = $ref ?? `#${pointerTo("paths", path, method.toLowerCase(), "responses", String(status))}`;
  const valid = ajv.validate({ $ref: `document${pointer}/content/application~1json/schema` }, body);
  expect([path, method, status, body, valid ? null : ajv.errors]).toEqual([path, method, status, body, null]);
}

/** Whether an answer means that a person, a session or a thing of the scene is gone or is called otherwise. */
const hasEnded = (path: string, method: string, { status }: Answer) =>
  status === 204 || (status === 201 && /\{(manager|athlete)\}\/$/.test(path) && method !== "POST");

const withBody = (type: string | undefined, body: unknown) => {
  if (type === undefined) return {};
  if (type === "application/json") return { json: body ?? null };
  const members = Object.entries(body ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
  if (type === "application/x-www-form-urlencoded") return { form: Object.fromEntries(members) };
  const form = new FormData();
  for (const [name, value] of members) form.append(name, new Blob([value]), "a.asi");
  return { body: form };
};

describe("any request gets a documented answer", () => {
  it.each(operations)("row X5: $method $path", { timeout: 120_000 }, async ({ path, method, entry }) => {
    const [type, media] = Object.entries<Schema>(entry.requestBody?.content ?? {})[0] ?? [];
    await current();
    const input = fc.record({
      caller: fc.constantFrom(...PEOPLE),
      query: values.query(entry.parameters),
      body: media === undefined ? fc.constant(undefined) : values.of(media.schema),
      headers: fc.oneof({ arbitrary: fc.constant({}), weight: 3 }, { arbitrary: conditions, weight: 1 }),
      /** Instead of the ids of the scene. */
      id: fc.option(fc.oneof(fc.constantFrom("1", "0", "999999999", "9".repeat(16), "x", "-1"), odd), {
        freq: 5,
      }),
      managed: fc.boolean(),
    });
    const mayEnd = method === "DELETE" || /release|password|\{(manager|athlete)\}\/$/.test(path);
    await fc.assert(
      fc.asyncProperty(input, async ({ caller, query, body, headers, id, managed }) => {
        const { ids, managedAthlete, ...people } = await current();
        const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
          name === "athlete" && managed
            ? String(managedAthlete)
            : encodeURIComponent((id ?? String(ids[name])).replace(/\p{Cs}/gu, "\ufffd")),
        );
        const answer = await s.send(method, `${target}?${new URLSearchParams(query)}`, {
          token: caller === null || path.startsWith("/oauth2/") ? undefined : people[caller].token,
          headers: headers as Record<string, string>,
          ...withBody(type, body),
        });
        if (mayEnd && hasEnded(path, method, answer)) scene = undefined;
        // A segment that is no id is another path.
        if (id !== null && answer.status === 404) return;
        requireDocumented(path, method, entry, answer);
      }),
      { numRuns: mayEnd ? ENDING_RUNS : RUNS },
    );
  });
});
