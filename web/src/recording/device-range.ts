/** A stretch of the raw data of a device, as the service lists it. */
export interface DeviceRange {
  /** Where the API of the service is: the address before `api/`. */
  serviceAddress: string;
  device: { id: number; serial: string; name: string; type: string };
  /** First and last sample, ms since 1970 UTC. */
  startMs: number;
  stopMs: number;
  /** Number of samples. */
  size: number;
}
