import { readFileSync } from "node:fs";
import { UsageError } from "../terminal/usage-error.js";

// Names and addresses of this computer.

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads the address of a service. A token has all rights of its account, and anyone in the network could read it. Plain HTTP is therefore
 * accepted only within this computer, unless `allowHttp` is set.
 *
 * @returns the address with a slash at its end
 * @throws UsageError
 */
export function parseAddress(text: string, allowHttp: boolean): URL {
  const address = URL.canParse(text) ? new URL(text) : null;
  if (address === null || !["http:", "https:"].includes(address.protocol)) {
    throw new UsageError(
      `${JSON.stringify(text)} is not the address of a service. Give one such as https://club.example.`,
    );
  }
  if (address.username !== "" || address.password !== "") {
    throw new UsageError(
      "The address contains a user or a password, which other users of this machine can see; use a token in ASI_TOKEN.",
    );
  }
  if (address.search !== "" || address.hash !== "") {
    throw new UsageError(
      "Give the address of the service without its query and fragment, the parts after ? and #.",
    );
  }
  if (address.protocol === "http:" && !LOOPBACK.test(address.hostname) && !allowHttp) {
    throw new UsageError(
      "With plain http, others in the network can read the token. Use https://, or add --allow-http in a network that you trust.",
    );
  }
  if (!address.pathname.endsWith("/")) address.pathname += "/";
  return address;
}

/**
 * Returns the token from a file, or from the environment if no file is given. There is no option with the token itself, because the list of
 * processes shows options to all users of a computer.
 *
 * @throws UsageError if there is no token; system errors
 */
export function readToken(file: string | undefined, fromEnvironment: string | undefined): string {
  const token = (file === undefined ? (fromEnvironment ?? "") : readFileSync(file, "utf8")).trim();
  const place = file ?? "ASI_TOKEN";
  if (token === "") {
    throw new UsageError(
      file === undefined
        ? "There is no token. Set the environment variable ASI_TOKEN, or name a file with --token-file."
        : `${place} contains no token.`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new UsageError(
      `${place} contains more than one token: a space, a line break or another character.`,
    );
  }
  return token;
}
