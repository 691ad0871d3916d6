import { FormatRegistry, type TSchema, Type } from "@sinclair/typebox";
import { CURSOR_LIMITS } from "./page-limits.js";
import { Nullable } from "./types.js";

/** Lists in API version 2: a cursor keeps its position while results are added and removed. */

const decodeCursor = (cursor: string): number => {
  const [, digits] =
    /^after:([1-9]\d{0,15})$/.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  return Number(digits);
};

/** Returns the cursor for the results that follow the one with this id. It is opaque to clients. */
export const encodeCursor = (id: number): string => Buffer.from(`after:${id}`).toString("base64url");

const isLimit = (text: string) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= CURSOR_LIMITS.max;

FormatRegistry.Set("cursor", (value) => Number.isSafeInteger(decodeCursor(value)));
FormatRegistry.Set("cursor-limit", isLimit);

export const CursorQuery = {
  cursor: Type.Optional(
    Type.Transform(
      Type.String({
        format: "cursor",
        description: "`next` of the previous page; absent for the first page",
        problem: "There is no such page. Start with the first page.",
        openapi: { type: "string" },
      }),
    )
      .Decode(decodeCursor)
      .Encode(encodeCursor),
  ),
  limit: Type.Optional(
    Type.Transform(
      Type.String({
        format: "cursor-limit",
        description: "Results per page",
        problem: `Must be a whole number from 1 to ${CURSOR_LIMITS.max}.`,
        openapi: { type: "integer", minimum: 1, maximum: CURSOR_LIMITS.max, default: CURSOR_LIMITS.default },
      }),
    )
      .Decode(Number)
      .Encode(String),
  ),
};

/** Schema of a page of a list with a cursor. */
export const CursorPage = <T extends TSchema>(item: T) =>
  Type.Object({
    results: Type.Array(item),
    next: Nullable(
      Type.String({
        description: "Value of the parameter `cursor` for the next page; null on the last page",
        examples: [encodeCursor(3)],
      }),
    ),
  });

export type CursorPage<T> = { results: T[]; next: string | null };
