import { eq } from "drizzle-orm";
import { jsonSchemas } from "../../store/schema.js";
import { errors } from "../change/errors.js";
import type { Rule } from "../change/rule.js";

export type JsonSchemaRow = typeof jsonSchemas.$inferSelect;

export const jsonSchemaForManagers: Rule<"json_schema", JsonSchemaRow> = {
  description: "Managers",
  roles: ["MANAGER"],
  async find(_ctx, ids, { queries }) {
    const [row] = await queries.select().from(jsonSchemas).where(eq(jsonSchemas.id, ids.json_schema));
    if (row === undefined) throw errors.notFound();
    return row;
  },
};
