/** Tests the demonstration in the built service, started several times on one folder. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, describe, expect, it } from "vitest";
import { Processes } from "./processes.js";

let processes: Processes;

beforeEach(async () => {
  processes = await Processes.onNewDatabase();
});

describe("a demonstration that is restarted", { timeout: 120_000 }, () => {
  it("prints the account again while it exists", async () => {
    const signIn = async () => {
      const started = await processes.start("--demo");
      await expect.poll(started.output).toContain("Claim a device");
      const [, username = "", password = ""] =
        /Username +(\S+)\n +Password +(.+)/.exec(started.output()) ?? [];
      return { ...started, username, password };
    };
    const first = await signIn();
    expect((statSync(join(processes.dataDir, "demo.json")).mode & 0o777).toString(8)).toBe("600");
    await first.terminate();

    const second = await signIn();
    expect([second.username, second.password]).toEqual([first.username, first.password]);
    const typed = second.output().slice(second.output().indexOf("TOKEN="));
    const [line = ""] = typed.split("\ncurl");
    const { stdout: token } = await promisify(execFile)("bash", ["-c", `${line}; echo -n "$TOKEN"`]);
    const { body } = await second.send("GET", "/api/v1/account/", token);
    expect(body.username).toBe(first.username);
    const password = { password: "another long passphrase" };
    await second.send("PUT", `/api/v1/managers/${body.id}/change-password/`, token, password);
    await second.terminate();

    const third = await signIn();
    expect([third.username, third.password]).toEqual([first.username, "(the one that you have set)"]);
    await processes.command("account", "disable", first.username);
    await third.terminate();
    const fourth = await signIn();
    expect(fourth.username).toMatch(/^demo-/);
    expect(fourth.username).not.toBe(first.username);
  });

  it("suggests only unfinished steps", async () => {
    const start = async () => {
      const started = await processes.start("--demo");
      await expect.poll(started.output).toContain("/preprocessed-data/");
      return started;
    };
    const first = await start();
    const [, file = "", serial_number, device_name] =
      /Upload a file +(.+), to the device .+\n +Claim a device +serial number (\S+), name (\S+)/.exec(
        first.output(),
      ) ?? [];
    const typed = first.output().slice(first.output().indexOf("TOKEN="));
    const [line = ""] = typed.split("\ncurl");
    const { stdout: token } = await promisify(execFile)("bash", ["-c", `${line}; echo -n "$TOKEN"`]);
    const devices = "/api/v1/devices/";
    const taken = await first.send("POST", `${devices}take-ownership/`, token, {
      serial_number,
      device_name,
    });
    expect(taken.status).toBe(201);
    await first.terminate();

    const second = await start();
    expect(second.output()).not.toContain("Claim a device");
    const [, device] = /devices\/(\d+)\/preprocessed-data/.exec(second.output()) ?? [];
    const asi_b64 = readFileSync(file).toString("base64");
    const job = await second.send("POST", `${devices}${device}/bulk-load/`, token, { asi_b64 });
    const state = async () =>
      (await second.send("GET", `/api/v1/jobs/${job.body.job_id}/`, token)).body.state;
    await expect.poll(state).toBe("SUCCESS");
    rmSync(file);
    await second.terminate();

    const third = await start();
    expect(third.output()).toContain("Add a webhook");
    expect(third.output()).not.toContain("Upload a file");
    expect(existsSync(file)).toBe(false);
  });
});
