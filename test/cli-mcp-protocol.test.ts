/** Tests the protocol of `asi mcp`, and that it reads only its folders. */
import {
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { refuseMany } from "../src/cli/mcp/squad-answer.js";
import { MAX_SHEET_BYTES } from "../src/squad/sheets.js";
import { asi, asiProcess, scratchFolder } from "./asi-process.js";
import { training } from "./assistant.js";
import { folderOfTraining } from "./training-folder.js";

const json = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Sends lines to `asi mcp` without a client, and ends its input. */
async function linesFor(input: string): Promise<Record<string, unknown>[]> {
  const { stdout, status } = await asiProcess(["mcp", scratchFolder()], { input: Buffer.from(input) });
  expect(status).toBe(0);
  return stdout === "" ? [] : json(stdout);
}

const request = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

describe("asi mcp", () => {
  it("refuses paths and links that lead out of its folders", async () => {
    const { folder, name, assistant } = await training();
    const other = join(scratchFolder(), "secret");
    renameSync(
      await folderOfTraining([5], { roster: ["player;serial", "Secret;TRK-1"], periods: [] }),
      other,
    );
    const [outside = ""] = readdirSync(other).filter((one) => one.endsWith(".asi"));
    symlinkSync(join(other, outside), join(folder, "link.asi"));
    symlinkSync(other, join(folder, "elsewhere"));
    const names = [
      join(other, outside),
      `${name}/../${basename(other)}/${outside}`,
      `../${basename(other)}/${outside}`,
      `${name}/link.asi`,
      `${name}/elsewhere/${outside}`,
      "/etc/passwd",
      "/dev/zero",
      `${name}\0.asi`,
    ];
    for (const file of names) {
      const { error } = await assistant.ask("recording_figures", { file });
      expect([file, error.code]).toEqual([file, "OUTSIDE"]);
      expect(error.message).toContain(name);
    }
    expect((await assistant.ask("squad_table", { folder: `${name}/elsewhere` })).error.code).toBe("OUTSIDE");
    const { answer } = await assistant.ask("list_recordings");
    expect(answer.total).toBe(3);
    expect(answer.links_out_of_the_folders).toEqual([`${name}/link.asi`]);
    rmSync(join(folder, "roster.csv"));
    symlinkSync(join(other, "roster.csv"), join(folder, "roster.csv"));
    expect((await assistant.ask("squad_table", { folder: name })).error.code).toBe("OUTSIDE");
  });

  it("refuses a file that is too large, before or after decompression", async () => {
    const { folder, name, assistant } = await training();
    writeFileSync(join(folder, "large.asi"), "");
    truncateSync(join(folder, "large.asi"), 2 ** 28 + 1);
    const zeros = gzipSync(Buffer.alloc(2 ** 24));
    writeFileSync(join(folder, "bomb.asi.gz"), Buffer.concat(Array.from({ length: 17 }, () => zeros)));
    copyFileSync(join(folder, "bomb.asi.gz"), join(folder, "named.asi"));
    for (const file of [`${name}/large.asi`, `${name}/bomb.asi.gz`, `${name}/named.asi`]) {
      expect((await assistant.ask("recording_figures", { file })).error.code).toBe("FILE_TOO_LARGE");
      expect((await assistant.ask("recording_rows", { file })).error.code).toBe("FILE_TOO_LARGE");
    }
    const { answer } = await assistant.ask("list_recordings");
    const refused = (answer.recordings as { error?: { code: string } }[]).flatMap(
      ({ error }) => error?.code ?? [],
    );
    expect(refused).toEqual(Array(3).fill("FILE_TOO_LARGE"));
  });

  it("refuses a roster or periods that asi squad refuses", async () => {
    const { folder, name, assistant } = await training();
    writeFileSync(join(folder, "periods.csv"), " ".repeat(MAX_SHEET_BYTES + 1));
    expect((await assistant.ask("squad_table", { folder: name })).error).toMatchObject({
      code: "NO_TABLE",
      message: expect.stringMatching(/periods\.csv.*(large|MB|MiB)/),
    });
    writeFileSync(join(folder, "roster.csv"), " ".repeat(MAX_SHEET_BYTES + 1));
    expect((await assistant.ask("squad_table", { folder: name })).error).toMatchObject({
      code: "NO_TABLE",
      message: expect.stringMatching(/roster\.csv.*(large|MB|MiB)/),
    });
  });

  it("refuses a table of recordings whose total decompressed size is too large", async () => {
    const folder = scratchFolder();
    const files = ["a.asi.gz", "b.asi.gz"].map((name) => {
      const path = join(folder, name);
      writeFileSync(path, gzipSync(Buffer.alloc(600_000)));
      return { kind: "file" as const, name, path, bytes: statSync(path).size };
    });
    await refuseMany(files, 1_200_000);
    await expect(refuseMany(files, 1_199_999)).rejects.toMatchObject({
      failure: { error: { code: "TOO_MANY_FILES" } },
    });
  });

  it("writes nothing into its folders", async () => {
    const { folder, name, assistant } = await training();
    const before = readdirSync(folder, { recursive: true });
    const [{ file }] = (await assistant.ask("list_recordings")).answer.recordings as [{ file: string }];
    await assistant.ask("recording_figures", { file });
    await assistant.ask("squad_table", { folder: name, periods: "suggested" });
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
  });

  it("reports a folder that does not exist, and does not start", async () => {
    const { status, stderr } = await asi(["mcp", "no-such-folder"]);
    expect(status).toBe(2);
    expect(stderr).toContain("no-such-folder is not a folder");
  });
});

describe("the protocol of asi mcp", () => {
  it("writes only responses to standard output", async () => {
    const lines = await linesFor(
      [
        request(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {} }),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
        "\n",
        request(2, "ping"),
        '{"jsonrpc":"2.0","id":9,"result":{}}\n',
        request(3, "resources/list"),
        request(4, "tools/call", { name: "remove_everything" }),
        "not JSON\n",
        "[]\n",
        '{"jsonrpc":"2.0","id":{},"method":"ping"}\n',
        request(5, "tools/list").trimEnd(),
      ].join(""),
    );
    const of = (id: number | null) => lines.filter((line) => line.id === id);
    expect(of(1)).toMatchObject([{ result: { protocolVersion: "2025-06-18", serverInfo: { name: "asi" } } }]);
    expect(of(2)).toEqual([{ jsonrpc: "2.0", id: 2, result: {} }]);
    expect(of(3)).toMatchObject([{ error: { code: -32601 } }]);
    expect(of(4)).toMatchObject([{ error: { code: -32602 } }]);
    expect(of(null).map(({ error }) => (error as { code: number }).code)).toEqual([-32700, -32600, -32600]);
    expect(of(5)).toMatchObject([{ result: { tools: { length: 9 } } }]);
    expect(lines.length).toBe(8);
  });

  it("responds to an unknown version with the newest version", async () => {
    const lines = await linesFor(request(1, "initialize", { protocolVersion: "1999-01-01" }));
    expect(lines).toMatchObject([{ result: { protocolVersion: LATEST_PROTOCOL_VERSION } }]);
  });

  it("keeps only the beginning of a line that is too long", async () => {
    const long = `{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(3_000_000)}"}\n`;
    expect(await linesFor(long + request(2, "ping"))).toMatchObject([
      { error: { code: -32700 } },
      { id: 2, result: {} },
    ]);
  });

  it("sends no response to a call that is cancelled before it starts", async () => {
    const folder = await folderOfTraining([3, 4, 8], {
      roster: ["player;serial", "Kunz;TRK-2"],
      periods: [],
    });
    const call = (id: number) =>
      request(id, "tools/call", { name: "squad_table", arguments: { folder: basename(folder) } });
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
    const input = Buffer.from(`${call(1)}${call(2)}${JSON.stringify(cancelled)}\n${call(3)}`);
    const { stdout, status } = await asiProcess(["mcp", folder], { input });
    expect(status).toBe(0);
    expect(json(stdout).map(({ id }) => id)).toEqual([1, 3]);
  });
});
