/** Computed data as the text that was computed: jsonb would reorder its keys. Which rules gave it. */
export default `
ALTER TABLE computed_data ALTER COLUMN data TYPE text;
ALTER TABLE computed_data ADD COLUMN definition_version integer NOT NULL DEFAULT 1;
ALTER TABLE computed_data ALTER COLUMN definition_version DROP DEFAULT;
CREATE INDEX computed_data_definition ON computed_data (definition_version);
`;
