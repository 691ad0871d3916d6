import { expect } from "vitest";
import type { Answer } from "./service.js";

/** Returns the problem details of a version 2 refusal, without their texts. */
export function problem({ status, headers, body }: Answer): [status: number, code: string] {
  expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
  expect(body).toMatchObject({ type: "about:blank", status, title: expect.any(String) });
  expect(headers.get("x-error-code")).toBe(body.code);
  return [status, body.code];
}
