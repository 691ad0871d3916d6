/** Calls operations with input generated from the OpenAPI document. Every response must match the document. */
import fc from "fast-check";
import { expect } from "vitest";
import { conditions, odd, Values } from "./arbitraries.js";
import { DocumentedResponses } from "./documented-responses.js";
import { type OpenApiDocument, type Operation, readDocument } from "./openapi-document.js";
import { newScene, type Scene } from "./scene.js";
import type { Answer, TestService } from "./service.js";

export interface DocumentedOperation {
  path: string;
  method: string;
  entry: Operation;
}

const PEOPLE = ["owner", "owner", "thatAthlete", "anotherManager", "anotherAthlete", null] as const;

/** Input of an operation. */
interface Sent {
  caller: (typeof PEOPLE)[number];
  query: Record<string, string>;
  body: unknown;
  headers: Record<string, string>;
  /** Replaces the ids of the scene. */
  id: string | null;
  managed: boolean;
}

/** Returns whether an operation may delete a person, a session or an object of the scene. */
export const mayEnd = ({ path, method }: DocumentedOperation): boolean =>
  method === "DELETE" || /release|erase|password|\{(manager|athlete)\}\/$/.test(path);

/** Returns whether a response means that an object of the scene is deleted or renamed. */
const hasEnded = ({ path, method }: DocumentedOperation, { status }: Answer) =>
  status === 204 ||
  (status === 200 && /erase/.test(path)) ||
  (status === 201 && /\{(manager|athlete)\}\/$/.test(path) && method !== "POST");

/** Do not use `String`, because a value may have a member `toString` that is not a function. */
const textOf = (value: unknown) => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

const withBody = (type: string | undefined, body: unknown) => {
  if (type === undefined) return {};
  if (type === "application/json") return { json: body ?? null };
  if (type === "text/csv") return { body: textOf(body) };
  const members = Object.entries(body ?? {}).map(([name, value]): [string, string] => [name, textOf(value)]);
  if (type === "application/x-www-form-urlencoded") return { form: Object.fromEntries(members) };
  const form = new FormData();
  for (const [name, value] of members) form.append(name, new Blob([value]), "a.asi");
  return { body: form };
};

/** Calls the documented operations of a service on a scene, and replaces the scene when a call has deleted part of it. */
export class DocumentedCalls {
  readonly operations: readonly DocumentedOperation[];
  readonly #service: TestService;
  readonly #answers: DocumentedResponses;
  readonly #values: Values;
  #scene: Scene | undefined;
  /** Number of responses by status. */
  readonly statuses = new Map<number, number>();

  private constructor(service: TestService, document: OpenApiDocument) {
    this.#service = service;
    this.#answers = new DocumentedResponses(document);
    this.#values = new Values(document.components.schemas, () => ({
      ...this.#scene?.ids,
      owner: this.#scene?.owner.id ?? 1,
      managed_by: this.#scene?.owner.id ?? 1,
    }));
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, entry]) => ({ path, method: method.toUpperCase(), entry })),
    );
  }

  static async of(service: TestService): Promise<DocumentedCalls> {
    return new DocumentedCalls(service, readDocument((await service.get("/api/schema/")).body));
  }

  /** Returns people and objects for calls, and creates new ones when a call has deleted some. */
  async scene(): Promise<Scene> {
    this.#scene ??= await newScene(this.#service);
    return this.#scene;
  }

  /** Generates valid and invalid input for the operation. */
  inputs({ entry }: DocumentedOperation): fc.Arbitrary<Sent> {
    const [media] = Object.values(entry.requestBody?.content ?? {});
    return fc.record({
      caller: fc.constantFrom(...PEOPLE),
      query: this.#values.query(entry.parameters),
      body: media === undefined ? fc.constant(undefined) : this.#values.of(media.schema),
      headers: fc.oneof(
        { arbitrary: fc.constant<Record<string, string>>({}), weight: 3 },
        { arbitrary: conditions as fc.Arbitrary<Record<string, string>>, weight: 1 },
      ),
      id: fc.option(fc.oneof(fc.constantFrom("1", "0", "999999999", "9".repeat(16), "x", "-1"), odd), {
        freq: 5,
      }),
      managed: fc.boolean(),
    });
  }

  /** Calls the operation and compares its response with the document. */
  async call(
    operation: DocumentedOperation,
    { caller, query, body, headers, id, managed }: Sent,
  ): Promise<void> {
    const { path, method, entry } = operation;
    const [type] = Object.keys(entry.requestBody?.content ?? {});
    const { idsFor, managedAthlete, ...people } = await this.scene();
    const ids = idsFor(path);
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      name === "athlete" && managed
        ? String(managedAthlete)
        : encodeURIComponent((id ?? String(ids[name])).replace(/\p{Cs}/gu, "\ufffd")),
    );
    const answer = await this.#service.send(method, `${target}?${new URLSearchParams(query)}`, {
      token: caller === null || path.startsWith("/oauth2/") ? undefined : people[caller].token,
      headers: type === "text/csv" ? { ...headers, "Content-Type": type } : headers,
      ...withBody(type, body),
    });
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (mayEnd(operation) && hasEnded(operation, answer)) this.#scene = undefined;
    // A segment that is not an id makes a different path.
    if (id !== null && answer.status === 404) return;
    this.#requireDocumented(operation, answer);
  }

  #requireDocumented({ path, method }: DocumentedOperation, { status, headers, body }: Answer): void {
    expect([path, method, body, status < 500]).toEqual([path, method, body, true]);
    const given = {
      status,
      mediaType: headers.get("content-type")?.split(";", 1)[0],
      body: body === "" ? undefined : body,
    };
    const differences = this.#answers.differences(path, method.toLowerCase(), given);
    expect([path, method, status, body, differences]).toEqual([path, method, status, body, null]);
  }
}
