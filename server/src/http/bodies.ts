import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../domain/errors.js";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** NUL and half surrogate pairs in JSON escapes: text that no database can store. */
const UNSTORABLE_ESCAPE = /\\u(0000|[dD][89a-fA-F])/;

/** A number beyond the range of a double, which would be stored as null, has one of these: 209 digits and e99 stay below it. */
const GREAT_NUMBER = /\d[eE]\+?\d{3}|\d{210}/;

function readJson(bytes: Buffer): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text, (key, member) => {
      if (key === "__proto__") throw new SyntaxError("Forbidden member __proto__");
      return member;
    });
  } catch {
    throw errors.malformed("JSON parse error.");
  }
  if (GREAT_NUMBER.test(text) && hasInfinity(value)) {
    throw errors.malformed("The body holds a number that is too great.");
  }
  if (UNSTORABLE_ESCAPE.test(text) && hasUnstorable(value)) {
    throw errors.malformed("The body holds text that is not valid Unicode, or a NUL character.");
  }
  return value;
}

function hasInfinity(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasInfinity);
}

function hasUnstorable(value: unknown): boolean {
  if (typeof value === "string") return /[\0\p{Cs}]/u.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([name, member]) => hasUnstorable(name) || hasUnstorable(member));
}

/** Far more than any form of the service has. */
const MAX_FORM_FIELDS = 50;
const FORM_MAX_BYTES = 64 * 1024;

/** Reads a form. A repeated field is an array, so that the token endpoint can refuse it. */
function readForm(bytes: Buffer): Record<string, string | string[]> {
  const form: Record<string, string | string[]> = Object.create(null);
  let fields = 0;
  for (const [name, value] of new URLSearchParams(bytes.toString("utf8"))) {
    fields++;
    if (fields > MAX_FORM_FIELDS) {
      throw errors.malformed(`The form has more than ${MAX_FORM_FIELDS} fields.`);
    }
    const known = form[name];
    if (known === undefined) form[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else form[name] = [known, value];
  }
  return form;
}

/**
 * Installs the readers of request bodies: JSON everywhere; forms, and files in forms, only where the route says so. No
 * body may be compressed: what it holds unpacked would escape the limits.
 */
export async function installBodies(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, { throwFileSizeLimit: false });
  app.addHook("preParsing", async ({ headers, routeOptions }) => {
    const isMultipart = /^multipart\/form-data\s*(;|$)/i.test(headers["content-type"]?.trim() ?? "");
    const coding = headers["content-encoding"] ?? "identity";
    if (isMultipart !== (routeOptions.config.multipart === true)) throw unsupported();
    if (coding.trim().toLowerCase() !== "identity") throw unsupported();
  });
  app.addContentTypeParser(
    "application/json",
    { parseAs: "buffer" },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (request.routeOptions.config.form === true) throw unsupported();
      request.rawBody = bytes;
      const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers["content-type"] ?? "")?.[1];
      if (charset !== undefined && charset.toLowerCase() !== "utf-8") throw unsupported();
      return bytes.length === 0 ? undefined : readJson(bytes);
    },
  );
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "buffer", bodyLimit: FORM_MAX_BYTES },
    async (request: FastifyRequest, bytes: Buffer) => {
      if (request.routeOptions.config.form !== true) throw unsupported();
      return readForm(bytes);
    },
  );
}

const unsupported = () => Object.assign(new Error("Unsupported media type"), { statusCode: 415 });

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route reads `application/x-www-form-urlencoded`. */
    form?: boolean;
    /** The route reads `multipart/form-data`, and nothing else. */
    multipart?: boolean;
  }
}
