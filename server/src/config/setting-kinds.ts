import ipaddr from "ipaddr.js";

/** A setting: variable, default and parser. */
export interface Setting<T> {
  env: string;
  fallback: string;
  /** Description for the list. */
  about: string;
  secret?: boolean;
  /** Parses the text. Throws an Error with the expected form. */
  read(text: string): T;
}

/** Creates a kind of setting from its parser, which throws an Error with the expected form. */
export const setting =
  <T>(read: (text: string) => T) =>
  (env: string, fallback: string | number | boolean, about: string): Setting<T> => ({
    env,
    fallback: String(fallback),
    about,
    read,
  });

export const text = setting((value) => value);

export const integer = (min: number, max: number) =>
  setting((value) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`expected a whole number from ${min} to ${max}`);
    }
    return number;
  });
export const port = integer(0, 65_535);
export const count = integer(1, 1_000_000_000);

export const boolean = setting((value) => {
  if (!/^(true|false)$/.test(value)) throw new Error("expected true or false");
  return value === "true";
});

/** Names of networks known to the proxy-addr library. */
const NETWORK_NAMES = new Set(["loopback", "linklocal", "uniquelocal"]);

export const networks = setting((value) => {
  const entries = value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const wrong = entries.find(
    (entry) => !NETWORK_NAMES.has(entry) && !ipaddr.isValid(entry) && !ipaddr.isValidCIDR(entry),
  );
  if (wrong !== undefined) {
    throw new Error(
      `"${wrong}": expected IP addresses, networks such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas`,
    );
  }
  return entries;
});

export const url = (...protocols: string[]) =>
  setting((value) => {
    if (value === "") return null;
    if (!URL.canParse(value) || !protocols.includes(new URL(value).protocol)) {
      throw new Error(`expected a URL beginning with ${protocols.map((p) => `${p}//`).join(" or ")}`);
    }
    return value;
  });

/** Address of the API without a trailing slash, because paths are appended to it. */
export const baseAddress = setting((value) => {
  if (value === "") return null;
  const parsed = URL.canParse(value) ? new URL(value) : undefined;
  if (
    parsed === undefined ||
    !/^https?:$/.test(parsed.protocol) ||
    parsed.search !== "" ||
    parsed.hash !== ""
  )
    throw new Error("expected a URL beginning with http:// or https://, without a query");
  return value.replace(/\/+$/, "");
});

export const origins = setting((value) => {
  const entries = value
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  const wrong = entries.find(
    (entry) => entry !== "*" && !(URL.canParse(entry) && new URL(entry).origin === entry),
  );
  if (wrong !== undefined) {
    throw new Error(
      `"${wrong}": expected origins such as https://app.example.org without a path, separated by commas, or *`,
    );
  }
  return entries;
});

export const key = setting((value) => {
  if (value === "") return null;
  const bytes = Buffer.from(value, "base64");
  if (bytes.length !== 32) throw new Error("expected 32 bytes in base64");
  return new Uint8Array(bytes);
});

export const level = setting((value) => {
  if (!/^(trace|debug|info|warn|error|fatal|silent)$/.test(value)) {
    throw new Error("expected trace, debug, info, warn, error, fatal or silent");
  }
  return value;
});

export const secret = <T>(of: Setting<T>): Setting<T> => ({ ...of, secret: true });

/** Modes of libpq that always or never encrypt. `allow` and `prefer` give no protection. */
export const SSL_MODES = ["disable", "require", "verify-ca", "verify-full"] as const;
export type SslMode = (typeof SSL_MODES)[number];

export const sslMode = setting((value): SslMode => {
  const mode = SSL_MODES.find((known) => known === value);
  if (mode === undefined)
    throw new Error(`expected ${SSL_MODES.slice(0, -1).join(", ")} or ${SSL_MODES.at(-1)}`);
  return mode;
});
