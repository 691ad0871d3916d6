import ipaddr from "ipaddr.js";
import type { Config } from "./config.js";

type Address = Pick<Config, "baseUrl" | "host" | "port">;

/**
 * Where the page is for a reader of a mail, without a slash at its end.
 * @param origin on which the service listens, if it is known
 * @returns null when the service listens on all addresses and `BASE_URL` does not say by which one it is reached
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
