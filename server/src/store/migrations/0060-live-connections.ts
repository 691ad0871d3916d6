/**
 * Who receives the live data of a device, and on which connection: a user has one connection for each device, on whichever
 * process. A killed process leaves its rows; the next connection of the user takes them over.
 */
export default `
CREATE TABLE live_connections (
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  device_id bigint NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
  connection uuid NOT NULL,
  PRIMARY KEY (account_id, device_id)
);
CREATE INDEX live_connections_device ON live_connections (device_id);
`;
