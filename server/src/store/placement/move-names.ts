/** Returns the name of the foreign server on the coordinator for a part of the samples. */
export const serverName = (token: string, remainder: number) => `samples_${token}_${remainder}`;

/**
 * Returns the name of the table on each server. The name differs between moves, because a server can be part of the old and the
 * new placement.
 */
export const tableName = (token: string) => `sample_chunks_${token}`;
