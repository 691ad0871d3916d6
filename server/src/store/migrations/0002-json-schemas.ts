import { JSON_SCHEMA_DEFINITIONS, JSON_SCHEMA_TYPE_NUMBERS } from "../json-schema-definitions.js";

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

const install = JSON_SCHEMA_DEFINITIONS.map(
  ({ name, type, parent, schema }) => `
INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  ${literal(name)},
  ${JSON_SCHEMA_TYPE_NUMBERS[type]},
  ${parent === null ? "NULL" : `(SELECT id FROM json_schemas WHERE name = ${literal(parent)})`},
  ${literal(JSON.stringify(schema))}::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;`,
).join("\n");

/** The installed JSON schemas. When their definitions change, a further migration applies this one again. */
export default install;
