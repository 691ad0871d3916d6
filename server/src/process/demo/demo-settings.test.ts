import { describe, expect, it } from "vitest";
import { demoConfig } from "./demo-settings.js";

const settingsOf = (env: Record<string, string>, isTerminal: boolean) => {
  const { logLevel, webhookAllowPrivate } = demoConfig(env, isTerminal);
  return { logLevel, webhookAllowPrivate };
};

describe("the settings of a demonstration", () => {
  it("keep the log from pushing away the account in a terminal", () => {
    expect(settingsOf({}, true)).toEqual({ logLevel: "warn", webhookAllowPrivate: true });
    expect(settingsOf({}, false)).toEqual({ logLevel: "info", webhookAllowPrivate: true });
  });

  it("call webhooks on the machine only where nobody else reaches the service", () => {
    expect(settingsOf({ HOST: "0.0.0.0" }, false).webhookAllowPrivate).toBe(false);
    expect(settingsOf({ HOST: "::1" }, false).webhookAllowPrivate).toBe(true);
    expect(settingsOf({ BASE_URL: "https://club.example/" }, false).webhookAllowPrivate).toBe(false);
    expect(settingsOf({ TRUST_PROXY: "loopback" }, false).webhookAllowPrivate).toBe(false);
  });

  it("are those of the environment where it has some", () => {
    expect(settingsOf({ LOG_LEVEL: "debug", WEBHOOK_ALLOW_PRIVATE: "false" }, true)).toEqual({
      logLevel: "debug",
      webhookAllowPrivate: false,
    });
  });
});
