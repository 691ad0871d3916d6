import ipaddr from "ipaddr.js";
import type { Config } from "./config.js";

type Address = Pick<Config, "baseUrl" | "host" | "port">;

/**
 * Returns the address of the page for links in emails, without a trailing slash.
 * @param origin origin on which the service listens, if known
 * @returns null if the service listens on all addresses and `BASE_URL` does not specify one
 */
export function pageAddress(config: Address, origin = originOf(config)): string | null {
  return config.baseUrl ?? (isUnspecified(config.host) ? null : origin);
}

/** Advice for the operator if `pageAddress` is null. */
export const BASE_URL_IS_MISSING =
  "The service listens on all addresses, so it does not know the address of its page. Set BASE_URL.";

const originOf = ({ host, port }: Address) => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;

const isUnspecified = (host: string) =>
  ipaddr.isValid(host) && ipaddr.process(host).range() === "unspecified";
