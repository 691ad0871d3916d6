import ipaddr from "ipaddr.js";

/** Whether a host is a loopback address. */
export const isLoopback = (host: string) =>
  host === "localhost" || (ipaddr.isValid(host) && ipaddr.process(host).range() === "loopback");
