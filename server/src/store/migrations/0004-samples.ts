import { SAMPLE_CHUNKS_DDL } from "../samples/index.js";

/** The samples of the devices, and from when retention has removed some. */
export default `
${SAMPLE_CHUNKS_DDL}

-- Closed intervals, disjoint for each device: there were samples, and they are gone for good.
CREATE TABLE removed_samples (
  device_id bigint NOT NULL REFERENCES devices,
  start_ms bigint NOT NULL,
  stop_ms bigint NOT NULL CHECK (stop_ms >= start_ms),
  PRIMARY KEY (device_id, start_ms)
);
`;
