export { type AddedSamples, addedSamples, type KnownSamples, piecesIn } from "./additions.js";
export { type Batch, firstBatch } from "./batch.js";
export { BUCKET_MS, bucketOf } from "./bucket.js";
export { SamplesByBucket } from "./by-bucket.js";
export { MAX_CHUNK_SAMPLES } from "./codec.js";
export {
  allocateColumns,
  concatColumns,
  FIX_2D,
  FIX_3D,
  lowerBound,
  type SampleColumns,
  sliceColumns,
} from "./columns.js";
export { countSamplesOf, LEAST_CHUNK_SIZE } from "./count.js";
export { SampleStoreError, type SampleStoreErrorCode } from "./errors.js";
export { type Interval, normaliseIntervals } from "./intervals.js";
export { latestSamples, latestTimestamp } from "./latest.js";
export type { MergeCounts } from "./merge.js";
export { instantsOf, intervalsIn, millisecondsOf, textOfInstants, textOfMultirange } from "./multirange.js";
export { readPage, type SamplePage } from "./page.js";
export { type Division, divide, isOnePart, type Part, RewriteLimit } from "./parts.js";
export { Pauses } from "./pauses.js";
export { listRanges, listRangesOf, type SampleRange } from "./ranges.js";
export { deleteSamplesBetween, deleteSamplesFrom, type Removal } from "./removal.js";
export { chunkTables, deleteStoredBefore, listStoredBefore, type RemovedChunk } from "./retention.js";
export type { SqlClient } from "./sql-client.js";
export { sqlClientOf } from "./sql-client.js";
export { type StoreResult, storeSamples, tryStoring } from "./store-samples.js";
export { countStored, decodeStored, readStored, type StoredChunk } from "./stored.js";
export { streamSamples } from "./stream.js";
