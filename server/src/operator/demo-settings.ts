import { type Config, readConfig } from "../config.js";
import { isLoopback } from "../http/session-cookie.js";

/**
 * The settings of a demonstration; what the environment sets counts. In a terminal the log does not push away what the start prints.
 * A service that only this machine reaches calls webhooks of programs on it.
 */
export function demoConfig(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): Config {
  const { host } = readConfig(env);
  return readConfig({
    ...(isTerminal ? { LOG_LEVEL: "warn" } : {}),
    ...(isLoopback(host) ? { WEBHOOK_ALLOW_PRIVATE: "true" } : {}),
    ...env,
  });
}
