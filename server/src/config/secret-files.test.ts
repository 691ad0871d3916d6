import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { describeConfig, readConfig } from "./config.js";

const folder = mkdtempSync(join(tmpdir(), "asi-secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));

const URL = "postgres://asi:pa$$word@db/asi";

function fileWith(content: string): string {
  const file = join(mkdtempSync(join(folder, "f-")), "secret");
  writeFileSync(file, content);
  return file;
}

describe("a secret", () => {
  it.each([
    ["DATABASE_URL", "databaseUrl", URL],
    ["SMTP_URL", "smtpUrl", "smtp://mail.example.org"],
  ] as const)("%s is read from the file named by its _FILE variable", (variable, name, value) => {
    for (const end of ["", "\n", "\r\n"]) {
      expect(readConfig({ [`${variable}_FILE`]: fileWith(value + end) })[name]).toBe(value);
    }
  });

  it("can be read from a file if it is 32 bytes", () => {
    const key = Buffer.alloc(32, 7);
    const config = readConfig({ SERVER_KEY_FILE: fileWith(`${key.toString("base64")}\n`) });
    expect(config.serverKey).toEqual(new Uint8Array(key));
  });

  it.each([
    [
      "twice",
      () => ({ DATABASE_URL: URL, DATABASE_URL_FILE: fileWith(URL) }),
      "DATABASE_URL_FILE is also set",
    ],
    [
      "in a file that does not exist",
      () => ({ DATABASE_URL_FILE: join(folder, "none") }),
      "cannot be read: ENOENT",
    ],
    ["in an empty file", () => ({ DATABASE_URL_FILE: fileWith("\n") }), "is empty"],
    [
      "of the wrong form",
      () => ({ DATABASE_URL_FILE: fileWith("mysql://x") }),
      "DATABASE_URL: expected a URL",
    ],
  ])("%s is refused", (_, env, message) => {
    expect(() => readConfig(env())).toThrow(message);
  });

  it("is not shown by `asi-server config`, which lists its sources", () => {
    const listed = describeConfig({ DATABASE_URL_FILE: fileWith(URL) });
    const entry = listed.find(({ variable }) => variable === "DATABASE_URL");
    expect(entry).toMatchObject({ value: "(set)", about: expect.stringContaining("DATABASE_URL_FILE") });
    expect(JSON.stringify(listed)).not.toContain("pa$$word");
    expect(describeConfig({}).find(({ variable }) => variable === "DATABASE_URL")?.value).toBe("");
  });

  it("must be a secret: other settings have no file", () => {
    expect(readConfig({ HOST_FILE: fileWith("0.0.0.0") }).host).toBe("127.0.0.1");
  });
});
