/** Checks Dockerfile, compose.yaml and the systemd unit without a container engine. scripts/try-containers.sh runs them. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../src/config/config.js";
import { EMBEDDED_CLOSE_TIMEOUT_MS, END_TIMEOUT_MS } from "../src/process/end-process.js";
import { newScratchFolder } from "./scratch.js";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const isInstalled = (name: string) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

const dockerfile = read("Dockerfile");

describe("the Dockerfile", () => {
  it("passes the linter", () => {
    expect(validate(dockerfile).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual(
      [],
    );
  });

  it("passes hadolint", ({ skip }) => {
    skip(!isInstalled("hadolint"), "hadolint is not installed");
    expect(spawnSync("hadolint", [join(ROOT, "Dockerfile")], { encoding: "utf8" }).stdout).toBe("");
  });

  it("copies only files of the repository or of another stage", () => {
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
    const copies = [...dockerfile.matchAll(/^COPY (?:--from=(\S+) )?(\S+) /gm)];
    expect(copies.length).toBeGreaterThan(2);
    for (const [, stage, source = ""] of copies) {
      if (stage === undefined) expect(existsSync(join(ROOT, source))).toBe(true);
      else expect(stages).toContain(stage);
    }
  });

  it("runs as a user other than root, with a health check and one volume", () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf("\nFROM "));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
    expect([...last.matchAll(/^VOLUME (.+)$/gm)].map(([, folder]) => folder)).toEqual(["/data"]);
  });
});

interface ComposeFile {
  services: Record<
    string,
    {
      build?: string;
      image: string;
      volumes?: string[];
      depends_on?: Record<string, { condition: string }>;
      healthcheck?: unknown;
      read_only?: boolean;
      cap_drop?: string[];
    }
  >;
  volumes: Record<string, unknown>;
}

describe("compose.yaml", () => {
  const { services, volumes } = parse(read("compose.yaml"), { merge: true }) as ComposeFile;

  it("starts the service, the worker and the database; each waits until the parts it needs are healthy", () => {
    expect(Object.keys(services)).toEqual(["service", "worker", "database"]);
    for (const { depends_on: needs = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(needs)) {
        const needed = services[name];
        expect(condition).toBe("service_healthy");
        // Our own containers use the health check of the image.
        expect(needed?.healthcheck !== undefined || needed?.image === services.service?.image).toBe(true);
      }
    }
  });

  it("mounts only declared volumes, and uses all of them", () => {
    const mounted = Object.values(services).flatMap(({ volumes: own = [] }) =>
      own.map((volume) => volume.split(":")[0]),
    );
    expect([...new Set(mounted)].sort()).toEqual(Object.keys(volumes).sort());
  });

  it("builds the image once, and drops privileges that its processes do not need", () => {
    const own = Object.values(services).filter(({ image }) => image === "asi-server");
    expect(own).toHaveLength(2);
    expect(own.map(({ build }) => build)).toEqual([".", undefined]);
    for (const one of own) expect(one).toMatchObject({ read_only: true, cap_drop: ["ALL"] });
  });
});

describe("the systemd unit", () => {
  it("waits long enough for the slowest shutdown of the service, which is with the embedded database", () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(read("deploy/asi-server.service"))?.[1]);
    const { shutdownTimeoutMs } = readConfig({});
    expect(seconds * 1000).toBeGreaterThan(shutdownTimeoutMs + END_TIMEOUT_MS + EMBEDDED_CLOSE_TIMEOUT_MS);
  });

  it("sets the same allocator as the Dockerfile", () => {
    const allocatorOf = (text: string) => [...text.matchAll(/\bMALLOC_\w+=\d+/g)].map(([setting]) => setting);
    expect(allocatorOf(read("deploy/asi-server.service"))).toEqual(allocatorOf(dockerfile));
    expect(allocatorOf(dockerfile)).not.toEqual([]);
  });

  it("passes the checks of systemd", ({ skip }) => {
    skip(!isInstalled("systemd-analyze"), "systemd-analyze is not installed");
    const unit = read("deploy/asi-server.service");
    const program = /^ExecStart=(\S+)/m.exec(unit)?.[1] ?? "";
    const file = join(newScratchFolder(), "asi-server.service");
    writeFileSync(file, unit.replaceAll(program, process.execPath));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], {
      encoding: "utf8",
    });
    expect([status, stderr]).toEqual([0, ""]);
  });
});
