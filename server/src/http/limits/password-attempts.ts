import type { FastifyInstance, FastifyRequest } from "fastify";
import type { PasswordAttempts } from "../../oauth/model.js";
import { addressKey } from "./address-key.js";

/** Counts passwords by username and client address. The counter is fair between addresses. */
export const passwordAttempts = (
  { throttle }: FastifyInstance,
  { ip }: FastifyRequest,
): PasswordAttempts => ({
  caller: `address ${addressKey(ip)}`,
  count: (username) => throttle.password(username, ip),
  succeeded: (username) => throttle.passwordSucceeded(username, ip),
});
