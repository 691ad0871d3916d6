/** A range of the raw data of a device, from the list of the service. */
export interface DeviceRange {
  /** Address of the service's API, without `api/`. */
  serviceAddress: string;
  device: { id: number; serial: string; name: string; type: string };
  /** First and last sample, ms since 1970 UTC. */
  startMs: number;
  stopMs: number;
  /** Number of samples. */
  size: number;
}
