/** Types of columns that many tables share. */
import { bigint, bigserial, customType, integer } from "drizzle-orm/pg-core";
import { readInstant } from "../instant.js";

export const bytea = customType<{ data: Uint8Array; driverData: Buffer }>({ dataType: () => "bytea" });
export const instant = customType<{ data: Date; driverData: string }>({
  dataType: () => "timestamp (3) with time zone",
  fromDriver: readInstant,
  toDriver: (instant) => instant.toISOString(),
});
export const reference = (name: string) => bigint(name, { mode: "number" });
export const id = () => bigserial("id", { mode: "number" }).primaryKey();
/** Column that is incremented with every change to the row; part of the entity tag. */
export const version = () => integer("version").notNull().default(1);
