import type { Readable } from "node:stream";
import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { errors } from "../../domain/change/errors.js";
import { onResponseEnd } from "../connection/response-end.js";
import { addressKey } from "../limits/address-key.js";
import { BodyBudget, type BodyShare } from "./body-budget.js";
import { readJson } from "./json.js";
import { JsonScan } from "./json-scan.js";
import { receiveBody } from "./receive-body.js";

/** Maximum number of fields of a form, far more than any operation needs. */
const MAX_FORM_FIELDS = 50;
const FORM_MAX_BYTES = 64 * 1024;

/** Media types of bodies that the handler reads. */
export const MULTIPART = "multipart/form-data";
export const FILE = "application/octet-stream";
/** Media type of tables. The handler gets the bytes of the body. */
export const CSV = "text/csv";

/** Default maximum size of a body. */
export const JSON_MAX_BYTES = 64 * 1024;

/** Reads a form. A repeated field becomes an array, which the token endpoint refuses. */
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
 * Installs the parsers of request bodies: JSON for all routes; CSV, forms and file uploads only for routes that declare them.
 * Compressed bodies are refused, because their uncompressed size would bypass the limits.
 */
export async function installBodies(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, { throwFileSizeLimit: false });
  app.addHook("preParsing", async ({ ws, headers, routeOptions: { config } }) => {
    // A WebSocket has no body.
    if (ws) return;
    const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase();
    const coding = headers["content-encoding"] ?? "identity";
    const isFile = config.file === true && type === FILE;
    if (type === MULTIPART ? config.multipart !== true : config.multipart === true && !isFile) {
      throw unsupported();
    }
    // Refuse JSON on this route, because the body of a stream has no time limit.
    if (config.operation?.isContinuous === true && type !== config.operation.consumes) throw unsupported();
    if (coding.trim().toLowerCase() !== "identity") throw unsupported();
  });
  const budget = new BodyBudget(app.config.bodyMemoryBytes, app.config.bodyMemoryPerCallerBytes);
  app.decorate("bodyBudget", budget);
  app.decorateRequest("bodyShare", undefined);
  app.addHook("preParsing", async (request, reply) => {
    const { ctx, ip, headers, routeOptions, onBehalfOf } = request;
    const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
    if (!hasBody || routeOptions.config.multipart === true) return;
    const caller = ctx.caller === null ? addressKey(ip) : `user-${ctx.caller.id}`;
    const share = budget.open(caller, onBehalfOf.group, routeOptions.bodyLimit);
    // The values of the body remain in memory until the response has ended.
    onResponseEnd(reply, () => share.release());
    request.bodyShare = share;
  });
  app.addContentTypeParser("application/json", async (request: FastifyRequest, payload: Readable) => {
    const { form, operation } = request.routeOptions.config;
    if (form === true || operation?.consumes === CSV) throw unsupported();
    const charset = /charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers["content-type"] ?? "")?.[1];
    if (charset !== undefined && charset.toLowerCase() !== "utf-8") throw unsupported();
    return operation?.receive === undefined
      ? receiveJson(request, payload, operation?.maxBytesAroundText ?? JSON_MAX_BYTES)
      : operation.receive(request, payload);
  });
  app.addContentTypeParser(FILE, async ({ routeOptions }: FastifyRequest) => {
    // The handler reads a file.
    if (routeOptions.config.file !== true) throw unsupported();
  });
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    async (request: FastifyRequest, payload: Readable) => {
      if (request.routeOptions.config.form !== true) throw unsupported();
      const chunks: Buffer[] = [];
      await receiveBody(request, payload, FORM_MAX_BYTES, (chunk) => chunks.push(chunk));
      return readForm(Buffer.concat(chunks));
    },
  );
  app.addContentTypeParser(CSV, async (request: FastifyRequest, payload: Readable) => {
    const { routeOptions } = request;
    const { operation } = routeOptions.config;
    if (operation?.csv === undefined && operation?.consumes !== CSV) throw unsupported();
    const chunks: Buffer[] = [];
    await receiveBody(request, payload, routeOptions.bodyLimit, (chunk) => chunks.push(chunk));
    const bytes = Buffer.concat(chunks);
    if (request.ctx.idempotency !== undefined) request.rawBody = bytes;
    return bytes;
  });
}

async function receiveJson(
  request: FastifyRequest,
  payload: Readable,
  maxBytesAround: number,
): Promise<unknown> {
  const scan = new JsonScan(maxBytesAround);
  const chunks: Buffer[] = [];
  await receiveBody(request, payload, request.routeOptions.bodyLimit, (chunk) => {
    scan.write(chunk);
    chunks.push(chunk);
  });
  const bytes = Buffer.concat(chunks);
  if (request.ctx.idempotency !== undefined) request.rawBody = bytes;
  return bytes.length === 0 ? undefined : readJson(bytes);
}

const unsupported = () => Object.assign(new Error("Unsupported media type"), { statusCode: 415 });

declare module "fastify" {
  interface FastifyInstance {
    bodyBudget: BodyBudget;
  }
  interface FastifyRequest {
    /** Share of the body memory held by this request. */
    bodyShare: BodyShare | undefined;
  }
  interface FastifyContextConfig {
    /** Whether the route accepts `application/x-www-form-urlencoded`. */
    form?: boolean;
    /** Whether the route accepts only `multipart/form-data`, or also a file. */
    multipart?: boolean;
    /** Whether the route accepts a file as the body, `application/octet-stream`. */
    file?: boolean;
  }
}
