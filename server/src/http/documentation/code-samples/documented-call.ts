/**
 * A call to an operation according to its entry in the OpenAPI document. The examples in all languages are based on it.
 */

type Scalar = string | number | boolean;

/** Members of a schema that the examples use. */
interface ExampleSchema {
  properties?: Record<string, ExampleSchema>;
  contentEncoding?: string;
  example?: Scalar;
  examples?: Scalar[];
  const?: Scalar;
  anyOf?: { const?: Scalar }[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  deprecated?: boolean;
  schema: ExampleSchema;
}

type Content = Record<string, { schema: ExampleSchema; example?: unknown }>;

/** Members of an operation that the examples use. */
interface OperationEntry {
  operationId: string;
  parameters: Parameter[];
  security: unknown[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
  "x-codeSamples"?: { lang: string; label: string; source: string }[];
}

/** Members of the OpenAPI document that the examples use. */
export interface ExampleDocument {
  servers: { url: string }[];
  paths: Record<string, Record<string, OperationEntry>>;
}

export type JsonBody = { kind: "json"; value: unknown };
/** JSON object with a file in base64 as a member. */
export type Base64Body = { kind: "base64"; member: string; file: string };
export type FormBody = { kind: "form"; fields: [name: string, value: string][] };
export type CsvBody = { kind: "csv"; file: string };
/** A recording as the whole body. */
export type RecordingBody = { kind: "recording"; file: string };
export type FilesBody = { kind: "files"; files: [name: string, file: string][] };

export type Response =
  /** List whose `next` is the number of the next page. */
  | { kind: "list" }
  | { kind: "json" }
  | { kind: "nothing" }
  | { kind: "text" }
  /** Events until either side ends the connection. */
  | { kind: "events" }
  | { kind: "file"; name: string };

export interface DocumentedCall {
  operationId: string;
  /** Address of the service, without a trailing slash. */
  baseUrl: string;
  method: string;
  /** Path with `{name}` for a parameter. */
  path: string;
  pathValues: [name: string, value: string | number][];
  query: [name: string, value: Scalar][];
  /** Whether the operation needs a token. */
  isAuthenticated: boolean;
  /** Whether the operation is only for the page, which must send a header. */
  isOfPage: boolean;
  body: JsonBody | Base64Body | FormBody | FilesBody | CsvBody | RecordingBody | null;
  response: Response;
}

/** Ids that the examples of the resources also use. */
const PATH_VALUES: Readonly<Record<string, string | number>> = {
  activity: 5,
  athlete: 21,
  delivery: 80,
  device: 7,
  device_ownership: 3,
  job: "job-0b9f4d1c-5a7e-4c3b-9d26-8e1f3a7c5b40",
  json_schema: 3,
  manager: 12,
  permission: 31,
  member: 41,
  assignment: 12,
  grant: 17,
  invitation: 17,
  page_session: 4,
  token: 3,
  recipe: 3,
  serial: "ROVER-1",
  session: 5,
  squad: 2,
  timeframe: 9,
  webhook: 2,
};

/** Operations that only the page calls. */
const OF_PAGE = new Set(["createSession", "beginProviderSignIn"]);

/** Recording uploaded by examples. */
const RECORDING = "recording.asi";

/** Table uploaded by examples. */
const TABLE = "roster.csv";

const EXTENSIONS: Readonly<Record<string, string>> = { "text/csv": "csv", "application/zip": "zip" };

/** Reads the entry of an operation. @param pathValues values of path parameters by name */
export function documentedCall(
  document: ExampleDocument,
  path: string,
  method: string,
  pathValues: Readonly<Record<string, string | number>> = PATH_VALUES,
): DocumentedCall {
  const entry = document.paths[path]?.[method];
  if (entry === undefined) throw new Error(`The document has no ${method} of ${path}`);
  const response = responseOf(entry, path);
  return {
    operationId: entry.operationId,
    baseUrl: (document.servers[0]?.url ?? "").replace(/\/+$/, ""),
    method: method.toUpperCase(),
    path,
    pathValues: parametersIn(entry, "path").map(({ name }) => [name, pathValues[name] ?? 1]),
    query: queryOf(entry, response),
    isAuthenticated: entry.security.length > 0,
    // The other operations of the session accept tokens too.
    isOfPage: OF_PAGE.has(entry.operationId),
    body: bodyOf(entry),
    response,
  };
}

const parametersIn = (entry: OperationEntry, place: string): Parameter[] =>
  entry.parameters.filter((parameter) => parameter.in === place);

/** Returns required parameters and parameters with an example. Includes filters only for lists. */
function queryOf(entry: OperationEntry, response: Response): DocumentedCall["query"] {
  const parameters = parametersIn(entry, "query").filter(({ deprecated }) => deprecated !== true);
  const isFilter = response.kind !== "list" && parameters.some(({ name }) => name === "search");
  return parameters
    .filter(({ required, schema }) => required || (!isFilter && hasExample(schema)))
    .map(({ name, schema }) => [name, exampleOf(schema)]);
}

const hasExample = ({ example, examples }: ExampleSchema) => example !== undefined || examples !== undefined;

function exampleOf(schema: ExampleSchema): Scalar {
  return schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.anyOf?.[0]?.const ?? "text";
}

function bodyOf({ requestBody }: OperationEntry): DocumentedCall["body"] {
  const [described] = Object.entries(requestBody?.content ?? {});
  if (described === undefined) return null;
  const [type, { schema, example }] = described;
  if (type === "multipart/form-data") {
    return { kind: "files", files: Object.keys(schema.properties ?? {}).map((name) => [name, RECORDING]) };
  }
  if (type === "application/x-www-form-urlencoded") {
    return {
      kind: "form",
      fields: Object.entries(example ?? {}).map(([name, value]) => [name, String(value)]),
    };
  }
  if (type === "text/csv") return { kind: "csv", file: TABLE };
  if (type === "application/octet-stream") return { kind: "recording", file: RECORDING };
  const encoded = Object.entries(schema.properties ?? {}).find(
    ([, member]) => member.contentEncoding === "base64",
  );
  return encoded === undefined
    ? { kind: "json", value: example }
    : { kind: "base64", member: encoded[0], file: RECORDING };
}

function responseOf(entry: OperationEntry, path: string): Response {
  const content = Object.entries(entry.responses).find(([status]) => status.startsWith("2"))?.[1].content;
  if (content === undefined) return { kind: "nothing" };
  const json = content["application/json"];
  if (json !== undefined) {
    return json.schema.properties?.results === undefined ? { kind: "json" } : { kind: "list" };
  }
  const type = Object.keys(content)[0] ?? "";
  if (type === "text/event-stream") return { kind: "events" };
  const extension = EXTENSIONS[type];
  if (extension === undefined) return { kind: "text" };
  const isConversion = entry.requestBody?.content["multipart/form-data"] !== undefined;
  const name = isConversion ? "recording" : path.split("/").at(-2);
  return { kind: "file", name: `${name}.${extension}` };
}

/** Returns the path with its values, as sent. */
export const pathOf = ({ path, pathValues }: DocumentedCall): string =>
  pathValues.reduce(
    (filled, [name, value]) => filled.replace(`{${name}}`, () => encodeURIComponent(value)),
    path,
  );

/** Returns the whole address with query, as sent. */
export function addressOf(call: DocumentedCall): string {
  const query = call.query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return `${call.baseUrl}${pathOf(call)}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}
