import type { FastifyRequest } from "fastify";

/**
 * Refuses with 406 a client whose `Accept` rules out what the operation sends (RFC 9110 section 12.5.1). Errors are
 * JSON whatever the client accepts.
 */
export function requireAcceptable(request: FastifyRequest): void {
  const operation = request.routeOptions.config.operation;
  const accept = request.headers.accept;
  if (operation === undefined || accept === undefined || accept.trim() === "") return;
  const sent = operation.success.mediaType ?? "application/json";
  const [type] = sent.split("/");
  const accepted = accept.split(",").some((range) => {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return ["*/*", `${type}/*`, sent].includes(name) && !parameters.some((p) => /^q=0(\.0*)?$/.test(p));
  });
  if (!accepted) throw Object.assign(new Error("Not acceptable"), { statusCode: 406 });
}
