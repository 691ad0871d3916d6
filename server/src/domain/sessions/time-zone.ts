import { AsiError } from "asi-convert";
import { errors } from "../change/errors.js";

/** Runs work with the time zone of the query. @throws ServiceError `invalid` for an unknown time zone */
export function inTimeZone<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AsiError && error.code === "BAD_OPTION") throw errors.field("tz", error.message);
    throw error;
  }
}
