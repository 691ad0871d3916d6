/** Who ran a command of the operator; when a device was retired. */
export default `
ALTER TABLE audit_log ADD COLUMN operator text;
ALTER TABLE devices ADD COLUMN retired_at timestamptz(3);
`;
