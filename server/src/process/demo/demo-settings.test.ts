import { describe, expect, it } from "vitest";
import { demoConfig } from "./demo-settings.js";

const settingsOf = (env: Record<string, string>, isTerminal: boolean) => {
  const { logLevel, webhookAllowPrivate } = demoConfig(env, isTerminal);
  return { logLevel, webhookAllowPrivate };
};

describe("the settings of a demonstration", () => {
  it("keep the account visible in a terminal by logging less", () => {
    expect(settingsOf({}, true)).toEqual({ logLevel: "warn", webhookAllowPrivate: true });
    expect(settingsOf({}, false)).toEqual({ logLevel: "info", webhookAllowPrivate: true });
  });

  it("allow webhooks to the local machine only if nobody else can reach the service", () => {
    expect(settingsOf({ HOST: "0.0.0.0" }, false).webhookAllowPrivate).toBe(false);
    expect(settingsOf({ HOST: "::1" }, false).webhookAllowPrivate).toBe(true);
    expect(settingsOf({ BASE_URL: "https://club.example/" }, false).webhookAllowPrivate).toBe(false);
    expect(settingsOf({ TRUST_PROXY: "loopback" }, false).webhookAllowPrivate).toBe(false);
  });

  it("are overridden by the environment", () => {
    expect(settingsOf({ LOG_LEVEL: "debug", WEBHOOK_ALLOW_PRIVATE: "false" }, true)).toEqual({
      logLevel: "debug",
      webhookAllowPrivate: false,
    });
  });
});
