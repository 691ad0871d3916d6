import { type DocumentedCall, pathOf } from "./documented-call.js";
import { pythonLiteral as literal } from "./literals.js";

/** An argument of the request, as code. */
type Argument = readonly [name: string, code: string];

/** Returns an example with the requests library. */
export function pythonSample(call: DocumentedCall): string {
  const { body, response, method } = call;
  const standard = [
    ...(body?.kind === "base64" ? ["import base64"] : []),
    ...(call.isAuthenticated ? ["import os"] : []),
  ];
  const imports = [...standard, ...(standard.length > 0 ? [""] : []), "import requests", ""];
  const isStream = response.kind === "file" || response.kind === "events";
  const given = [...headersOf(call), ...queryOf(call), ...bodyOf(call)];
  const end: Argument[] = [...(isStream ? [["stream", "True"] as const] : []), ["timeout", "60"]];
  const lines =
    response.kind === "list"
      ? listing(call, given)
      : [
          `response = requests.${method.toLowerCase()}(`,
          `    ${literal(`${call.baseUrl}${pathOf(call)}`)},`,
          ...[...given, ...end].map(([name, code]) => `    ${name}=${code},`),
          ")",
          "response.raise_for_status()",
          ...use(response),
        ];
  const file =
    body?.kind === "files"
      ? body.files[0]?.[1]
      : body?.kind === "base64" || body?.kind === "csv" || body?.kind === "recording"
        ? body.file
        : undefined;
  if (file === undefined) return `${[...imports, ...lines].join("\n")}\n`;
  const name = body?.kind === "csv" ? "table" : "recording";
  const opened = [`with open(${literal(file)}, "rb") as ${name}:`, ...lines.map(indented)];
  return `${[...imports, ...opened].join("\n")}\n`;
}

const indented = (line: string) => line.replace(/^(?=.)/gm, "    ");

function headersOf({ isAuthenticated, isOfPage, body }: DocumentedCall): Argument[] {
  if (isOfPage) return [["headers", '{"X-Asi-Page": "1"}']];
  const type =
    body?.kind === "csv"
      ? ', "Content-Type": "text/csv"'
      : body?.kind === "recording"
        ? ', "Content-Type": "application/octet-stream"'
        : "";
  return isAuthenticated
    ? [["headers", `{"Authorization": f"Bearer {os.environ['ASI_TOKEN']}"${type}}`]]
    : [];
}

/** Returns a value in the form accepted by the service; the requests library would send `True` for true. */
const sent = (value: string | number | boolean) => (typeof value === "boolean" ? String(value) : value);

const queryOf = ({ query }: DocumentedCall): Argument[] =>
  query.length === 0
    ? []
    : [["params", literal(Object.fromEntries(query.map(([name, value]) => [name, sent(value)])), 4, 12)]];

function bodyOf({ body }: DocumentedCall): Argument[] {
  switch (body?.kind) {
    case "json":
      return [["json", literal(body.value, 4, 10)]];
    case "form":
      return [["data", literal(Object.fromEntries(body.fields), 4, 10)]];
    case "files":
      return [["files", `{${body.files.map(([name]) => `${literal(name)}: recording`).join(", ")}}`]];
    case "csv":
      return [["data", "table"]];
    case "recording":
      return [["data", "recording"]];
    case "base64":
      return [["json", `{${literal(body.member)}: base64.b64encode(recording.read()).decode()}`]];
    default:
      return [];
  }
}

function use(response: Exclude<DocumentedCall["response"], { kind: "list" }>): string[] {
  switch (response.kind) {
    case "json":
      return ["print(response.json())"];
    case "text":
      return ["print(response.text)"];
    case "nothing":
      return [];
    case "events":
      return ["for line in response.iter_lines(decode_unicode=True):", "    print(line, flush=True)"];
    case "file":
      return [
        `with open(${literal(response.name)}, "wb") as file:`,
        "    for chunk in response.iter_content(65536):",
        "        file.write(chunk)",
      ];
  }
}

/** Returns code that reads all pages of a list. */
function listing(call: DocumentedCall, given: Argument[]): string[] {
  const others = given.filter(([name]) => name !== "params");
  const query = call.query.map(([name, value]): [string, string | number] => [name, sent(value)]);
  const params = literal(Object.fromEntries([...query, ["page", 1]]), 0, 9);
  return [
    `params = ${params}`,
    'while params["page"] is not None:',
    "    response = requests.get(",
    `        ${literal(`${call.baseUrl}${pathOf(call)}`)},`,
    "        params=params,",
    ...others.map(([name, code]) => `        ${name}=${code},`),
    "        timeout=60,",
    "    )",
    "    response.raise_for_status()",
    "    page = response.json()",
    '    for result in page["results"]:',
    "        print(result)",
    '    params["page"] = page["next"]',
  ];
}
