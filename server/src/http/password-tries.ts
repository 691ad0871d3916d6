import type { FastifyInstance, FastifyRequest } from "fastify";
import type { PasswordTries } from "../oauth/model.js";

/** Wrong passwords are counted by username and client address. */
export const passwordTries = ({ throttle }: FastifyInstance, { ip }: FastifyRequest): PasswordTries => ({
  require: (username) => throttle.requirePasswordTries(username, ip),
  failed: (username) => throttle.failedPassword(username, ip),
});
