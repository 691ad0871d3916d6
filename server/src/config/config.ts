import { fileVariable, secretValue } from "./secret-files.js";
import type { Setting } from "./setting-kinds.js";
import { settings } from "./settings.js";
import { signInProblems } from "./sign-in-settings.js";

/**
 * The settings of one process. The service reads them from the environment, and secrets also from files, and checks
 * them at the start. `asi-server config` lists them.
 */

export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]["read"]>;
};

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/**
 * Reads and checks all settings.
 * @throws ConfigError with each invalid variable and its expected form
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const entries = Object.entries<Setting<unknown>>(settings).map(
    ([name, { env: variable, fallback, read, secret: isSecret }]) => {
      try {
        const value = isSecret ? secretValue(env, variable) : env[variable];
        return [name, read(value ?? fallback)];
      } catch (error) {
        problems.push(`${variable}: ${error instanceof Error ? error.message : String(error)}`);
        return [name, undefined];
      }
    },
  );
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  const config = Object.fromEntries(entries) as Config;
  const contradictions = signInProblems(config);
  if (contradictions.length > 0) throw new ConfigError(contradictions.join("\n"));
  return config;
}

/** Lists the settings and their current values. For a secret, shows only whether it is set. */
export function describeConfig(env: Readonly<Record<string, string | undefined>>) {
  return Object.values<Setting<unknown>>(settings).map(
    ({ env: variable, fallback, about, secret: hidden }) => {
      const value = env[variable];
      const file = fileVariable(variable);
      if (!hidden) return { variable, default: fallback, value: value ?? fallback, about };
      return {
        variable,
        default: fallback,
        value: value !== undefined || env[file] ? "(set)" : fallback,
        about: `${about}; ${file} names a file that contains it`,
      };
    },
  );
}
