/** As of when a device's firmware version is known, so that an old recording does not bring an old version back. */
export default `
ALTER TABLE devices ADD COLUMN firmware_at timestamptz(3);
`;
