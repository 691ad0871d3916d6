import type { DocumentedCall } from "./documented-call.js";
import { typescriptLiteral as literal } from "./literals.js";

const READS_RECORDING = 'import { openAsBlob } from "node:fs";';
const READS_TABLE = 'import { readFile } from "node:fs/promises";';
const WRITES_FILE = 'import { writeFile } from "node:fs/promises";';

/** Returns an example with the typed client, asi-client, in Node.js. */
export const typescriptSample = (call: DocumentedCall): string =>
  OWN[call.operationId]?.(call) ?? sample(call);

/** Operations for which the client has a function. */
const OWN: Readonly<Record<string, (call: DocumentedCall) => string>> = {
  obtainToken: ({ baseUrl, body }) => {
    const { grant_type: _, ...credentials } = Object.fromEntries(body?.kind === "form" ? body.fields : []);
    return program(
      [importOf("obtainToken")],
      [
        `const token = await obtainToken({ baseUrl: ${literal(baseUrl)} }, ${literal(credentials, 0, 60)});`,
        "console.log(token.access_token);",
      ],
    );
  },
  bulkLoad: (call) => {
    const device = call.pathValues[0]?.[1] ?? 1;
    return program(
      [READS_RECORDING, importOf("createClient")],
      [
        newClient(call),
        `const job = await asi.upload(${device}, await openAsBlob("recording.asi"));`,
        "console.log(job.job_id, job.state);",
      ],
    );
  },
  uploadRecordings: (call) =>
    program(
      [READS_RECORDING, importOf("createClient")],
      [
        newClient(call),
        'const [uploaded] = await asi.uploadRecordings([await openAsBlob("recording.asi")]);',
        "console.log(uploaded?.serial_number, uploaded?.job?.job_id);",
      ],
    ),
  convertFile: (call) =>
    program(
      [READS_RECORDING, WRITES_FILE, importOf("createClient")],
      [
        newClient(call),
        'const { fileName, csv } = await asi.convert(await openAsBlob("recording.asi"));',
        "await writeFile(fileName, csv);",
      ],
    ),
};

const importOf = (...names: string[]) => `import { ${names.join(", ")} } from "asi-client";`;

const program = (imports: string[], statements: string[]) =>
  `${imports.join("\n")}\n\n${statements.join("\n")}\n`;

function newClient({ baseUrl, isAuthenticated, isOfPage }: DocumentedCall): string {
  const credential = isOfPage
    ? ", session: true"
    : isAuthenticated
      ? ', token: process.env.ASI_TOKEN ?? ""'
      : "";
  return `const asi = createClient({ baseUrl: ${literal(baseUrl)}${credential} });`;
}

function sample(call: DocumentedCall): string {
  const { method, path, response } = call;
  const init = initOf(call);
  const isList = response.kind === "list";
  const request = (indent: string) => {
    const start = `asi.${isList ? "list" : method}(${literal(path)}`;
    return init === null ? `${start})` : `${start}, ${written(init, indent.length)})`;
  };
  const imports = [
    ...(call.body?.kind === "files" || call.body?.kind === "recording" ? [READS_RECORDING] : []),
    ...(call.body?.kind === "csv" ? [READS_TABLE] : []),
    ...(response.kind === "file" ? [WRITES_FILE] : []),
    importOf("createClient", ...(isList ? [] : ["unwrap"])),
  ];
  if (isList) {
    return program(imports, [
      newClient(call),
      `for await (const result of ${request("")}) {`,
      "  console.log(result);",
      "}",
    ]);
  }
  const result = `await unwrap(${request("")});`;
  const use: Record<Exclude<typeof response.kind, "list">, string[]> = {
    json: [`const data = ${result}`, "console.log(data);"],
    text: [`const text = ${result}`, "console.log(text);"],
    nothing: [result],
    events: [
      `const events = ${result}`,
      "for await (const bytes of events ?? []) process.stdout.write(bytes);",
    ],
    file: [
      `const content = ${result}`,
      `if (content !== null) await writeFile(${literal(response.kind === "file" ? response.name : "")}, content);`,
    ],
  };
  return program(imports, [newClient(call), ...use[response.kind as keyof typeof use]]);
}

/** An argument that is code instead of a value. */
class Code {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Init = Record<string, unknown>;

/** Returns the arguments in addition to the path; null if there are none. */
function initOf({ pathValues, query, body, response }: DocumentedCall): Init | null {
  const init: Init = {};
  if (pathValues.length > 0 || query.length > 0) {
    init.params = {
      ...(pathValues.length > 0 ? { path: Object.fromEntries(pathValues) } : {}),
      ...(query.length > 0 ? { query: Object.fromEntries(query) } : {}),
    };
  }
  if (body?.kind === "json") init.body = body.value;
  if (body?.kind === "form") {
    init.headers = { "Content-Type": "application/x-www-form-urlencoded" };
    init.body = Object.fromEntries(body.fields);
  }
  if (body?.kind === "csv") {
    init.headers = { "Content-Type": "text/csv" };
    init.body = new Code(`await readFile(${literal(body.file)}, "utf8")`);
  }
  if (body?.kind === "recording") {
    init.headers = { "Content-Type": "application/octet-stream" };
    init.body = new Code(`await openAsBlob(${literal(body.file)})`);
  }
  if (body?.kind === "files") {
    const files = body.files.map(([name, file]) => `${literal(name)}: await openAsBlob(${literal(file)})`);
    init.body = new Code(`{ ${files.join(", ").replace(/^"(\w+)"/, "$1")} }`);
  }
  if (response.kind === "file" || response.kind === "events") init.parseAs = "stream";
  if (response.kind === "text") init.parseAs = "text";
  return Object.keys(init).length === 0 ? null : init;
}

/** Writes the members of the object on separate lines, because one line is rarely enough. */
function written(init: Init, indent: number): string {
  const lines = Object.entries(init).map(([name, value]) => {
    const text = value instanceof Code ? value.text : literal(value, indent + 2, indent + 4 + name.length);
    return `${" ".repeat(indent + 2)}${name}: ${text},`;
  });
  return `{\n${lines.join("\n")}\n${" ".repeat(indent)}}`;
}
