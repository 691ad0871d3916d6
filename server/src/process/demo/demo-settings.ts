import { type Config, readConfig } from "../../config/config.js";
import { isLocalOnly, isLoopback } from "../../http/browser/session-cookie.js";

/**
 * The settings of a demonstration; what the environment sets counts. In a terminal the log does not push away what the start prints.
 * A service that only this machine reaches, without a proxy, calls webhooks at private addresses.
 */
export function demoConfig(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): Config {
  const config = readConfig(env);
  const isPrivate = isLoopback(config.host) && isLocalOnly(config);
  return readConfig({
    ...(isTerminal ? { LOG_LEVEL: "warn" } : {}),
    ...(isPrivate ? { WEBHOOK_ALLOW_PRIVATE: "true" } : {}),
    ...env,
  });
}
