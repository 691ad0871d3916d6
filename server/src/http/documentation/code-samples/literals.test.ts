/** The literal of a value with any content is equal to the value. */
import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { curlSample } from "./curl.js";
import { addCodeSamples, type ExampleDocument } from "./index.js";
import { pythonLiteral, shellWord, typescriptLiteral } from "./literals.js";

const HOSTILE = [
  "'; touch /tmp/x; '",
  "$(touch x) `touch x` $HOME",
  '"); process.exit(1); ("',
  '""" + __import__("os").getcwd() + """',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: shows that it is not a template
  "${process.env.HOME} {os.environ}",
  "line\r\nbreak\u2028\u2029\u0085\ttab \\",
  "@/etc/passwd",
  "</script><img src=x onerror=alert(1)>",
  "",
];

const jsonValues = fc.sample(
  fc.jsonValue({ stringUnit: "binary", maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value))),
  { numRuns: 200, seed: 7 },
);
const values: unknown[] = [
  ...HOSTILE,
  { [HOSTILE[0] ?? ""]: HOSTILE, constructor: 1, "a-b": null },
  JSON.parse('{"__proto__": {"x": true}}'),
  ...jsonValues,
];

describe("the code for a literal", () => {
  it("evaluates to the value in TypeScript", () => {
    for (const value of values) {
      const read = new Function(`return (${typescriptLiteral(value)});`)();
      expect(JSON.stringify(read)).toBe(JSON.stringify(value));
    }
  });

  const python = spawnSync("python3", ["--version"]).status === 0;
  it.skipIf(!python)("evaluates to the value in Python", () => {
    const program =
      "import ast, json, sys\nprint(json.dumps([ast.literal_eval(text) for text in json.load(sys.stdin)]))";
    const input = JSON.stringify(values.map((value) => pythonLiteral(value)));
    const { stdout, stderr } = spawnSync("python3", ["-c", program], { input });
    expect(String(stderr)).toBe("");
    expect(JSON.parse(String(stdout))).toEqual(JSON.parse(JSON.stringify(values)));
  });

  it("is a single word in a shell, with the same text", () => {
    const words = HOSTILE.map(shellWord).join(" ");
    const { stdout } = spawnSync("sh", ["-c", `printf '%s\\0' ${words}`]);
    expect(String(stdout).split("\0").slice(0, -1)).toEqual(HOSTILE);
  });
});

describe("the examples of a document", () => {
  it("are a single command for any names and examples", () => {
    for (const hostile of HOSTILE.filter((text) => text !== "")) {
      const document: ExampleDocument = {
        servers: [{ url: "http://127.0.0.1:1" }],
        paths: {
          "/things/{thing}/": {
            post: {
              operationId: hostile,
              security: [],
              parameters: [
                { name: "thing", in: "path", schema: {} },
                { name: hostile, in: "query", required: true, schema: { example: hostile } },
              ],
              requestBody: {
                content: { "application/json": { schema: {}, example: { [hostile]: hostile } } },
              },
              responses: { 204: {} },
            },
          },
        },
      };
      addCodeSamples(document, { thing: hostile });
      const samples = document.paths["/things/{thing}/"]?.post?.["x-codeSamples"];
      // Replaces curl by a function that prints its arguments.
      const script = `curl() { printf '%s\\0' "$@"; }\n${samples?.[0]?.source}`;
      const { stdout, stderr } = spawnSync("sh", ["-euc", script]);
      const words = String(stdout).split("\0").slice(0, -1);
      const encoded = encodeURIComponent(hostile);
      expect(String(stderr)).toBe("");
      expect(words).toEqual([
        `http://127.0.0.1:1/things/${encoded}/?${encoded}=${encoded}`,
        "--header",
        "Content-Type: application/json",
        "--data",
        JSON.stringify({ [hostile]: hostile }, null, 2),
      ]);
    }
  });

  it("pass values of a form literally, not as file names", () => {
    const source = curlSample({
      operationId: "x",
      baseUrl: "http://127.0.0.1:1",
      method: "POST",
      path: "/x/",
      pathValues: [],
      query: [],
      isAuthenticated: false,
      isOfPage: false,
      body: { kind: "form", fields: [["password", "@/etc/passwd"]] },
      response: { kind: "nothing" },
    });
    expect(source).toContain("--data-urlencode 'password=@/etc/passwd'");
  });
});
