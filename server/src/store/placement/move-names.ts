/** The foreign server of a part of the samples on the coordinator. */
export const serverName = (token: string, remainder: number) => `samples_${token}_${remainder}`;

/** The name of the table on each server. It differs between moves, so that a server can be in the old and the new place. */
export const tableName = (token: string) => `sample_chunks_${token}`;
