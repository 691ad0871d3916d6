/** Encryption keys for secrets. */
import { pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { instant, reference } from "./columns.js";

/** Encryption keys for secrets, which the server keys encrypt; see `domain/secrets/`. */
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
