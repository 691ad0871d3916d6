/** Keys of secrets. */
import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, reference } from "./columns.js";

/** Keys of secrets, encrypted with the server keys; see `domain/secrets/`. */
export const encryptionKeys = pgTable(
  "encryption_keys",
  {
    keyId: reference("key_id").notNull(),
    serverKeyId: text("server_key_id").notNull(),
    encryptedKey: text("encrypted_key").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.serverKeyId] })],
);
