import { type Config, readConfig } from "../../config/config.js";
import { isLoopback } from "../../config/loopback.js";
import { isLocalOnly } from "../../http/browser/session-cookie.js";

/**
 * Returns the settings of a demonstration. Variables of the environment override them. In a terminal, the service logs less, so
 * the output of the start remains visible. A service on loopback without a proxy may call webhooks at private addresses.
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
