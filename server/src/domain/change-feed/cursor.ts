import { FormatRegistry, Type } from "@sinclair/typebox";
import type { Position } from "../change-log/read-log.js";

/** The position of a client in the list of changes. */
export interface ChangeCursor extends Position {
  epoch: string;
  /** Time and athlete of the last listed permission that began or ended, ms; later ones have not been listed. */
  clockMs: number;
  athleteId: number;
  reader: string;
}

/** Returns a text that identifies what a token can read: the account, and whether the token reads samples and sessions. */
export const readerOf = (accountId: number, kinds: readonly string[]): string =>
  `${accountId}.${Number(kinds.includes("samples"))}${Number(kinds.includes("session"))}`;

const PATTERN =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}) (\d{1,18}) (\d{1,15}) (\d{1,15}) (\d{1,15}) (\d{1,15}\.[01]{2})$/;

export const encodeChangeCursor = ({ epoch, xid, seq, clockMs, athleteId, reader }: ChangeCursor): string =>
  Buffer.from([epoch, xid, seq, clockMs, athleteId, reader].join(" ")).toString("base64url");

function decode(text: string): ChangeCursor | undefined {
  const parts = PATTERN.exec(Buffer.from(text, "base64url").toString("latin1"));
  if (parts === null) return undefined;
  const [, epoch = "", xid = "", seq, clockMs, athleteId, reader = ""] = parts;
  return { epoch, xid, seq: Number(seq), clockMs: Number(clockMs), athleteId: Number(athleteId), reader };
}

FormatRegistry.Set("change-cursor", (text) => decode(text) !== undefined);

export const ChangeCursorQuery = Type.Optional(
  Type.Transform(
    Type.String({
      format: "change-cursor",
      description: "`next_cursor` of the previous response; absent to start now",
      problem: "The cursor does not exist. Start without a cursor, and read everything.",
      openapi: { type: "string" },
    }),
  )
    .Decode((text): ChangeCursor => {
      const cursor = decode(text);
      if (cursor === undefined) throw new Error("The format of the cursor was not checked");
      return cursor;
    })
    .Encode(encodeChangeCursor),
);
