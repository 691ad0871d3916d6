import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts a short text with AES-256-GCM. @returns base64 of nonce, tag and ciphertext */
export function encrypt(key: Uint8Array, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString("base64");
}

/** The key is wrong, or the bytes are corrupt. */
export class WrongKeyError extends Error {
  override readonly name = "WrongKeyError";
}

/** Decrypts the output of `encrypt`. @throws WrongKeyError */
export function decrypt(key: Uint8Array, encrypted: string): string {
  try {
    return decipher(key, encrypted);
  } catch (cause) {
    throw new WrongKeyError(
      "A secret cannot be decrypted: the key is wrong, or its bytes have been changed",
      {
        cause,
      },
    );
  }
}

function decipher(key: Uint8Array, encrypted: string): string {
  const bytes = Buffer.from(encrypted, "base64");
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
    "utf8",
  );
}
