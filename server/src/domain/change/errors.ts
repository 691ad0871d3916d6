/** Errors caused by the caller. The domain names the kind; HTTP assigns the status. */
export type ErrorKind =
  | "invalid"
  | "malformed"
  | "conflict"
  | "unauthenticated"
  | "forbidden"
  | "not_found"
  | "gone"
  | "too_large"
  | "precondition_failed"
  | "throttled"
  | "unavailable";

/** Messages by field name, nested like the fields. Problems that concern no single field are in `non_field_errors`. */
export interface FieldErrors {
  [field: string]: string[] | FieldErrors;
}

/** Maximum number of problems in a response. Without it, reporting problems could cost far more than causing them. */
export const MAX_FIELD_ERRORS = 100;

export type ErrorBody = { detail: string } | { message: string } | FieldErrors;

export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly kind: ErrorKind;
  /** Stable code for programs. */
  readonly code: string;
  readonly body: ErrorBody;
  /** Time to wait, only for `throttled` and `unavailable`. */
  readonly retryAfterMs: number | undefined;
  /** Codes of fields whose code differs from `code`. */
  readonly fieldCodes: Readonly<Record<string, string>>;

  constructor(
    kind: ErrorKind,
    code: string,
    body: ErrorBody,
    retryAfterMs?: number,
    fieldCodes: Readonly<Record<string, string>> = {},
  ) {
    super(code);
    this.kind = kind;
    this.code = code;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
    this.fieldCodes = fieldCodes;
  }
}

/** Time after which a user may try again to sign in with the OpenID provider. */
const PROVIDER_RETRY_MS = 10_000;

/** One factory for each kind. Every error of a kind therefore has the same shape. */
export const errors = {
  /** Invalid structure or value in the request: one or more messages per field. */
  invalid: (fields: FieldErrors, code = "invalid") => new ServiceError("invalid", code, fields),
  field: (field: string, message: string, code = "invalid") =>
    new ServiceError("invalid", code, { [field]: [message] }),
  /** A file that was sent is not acceptable. */
  file: (code: string, detail: string) => new ServiceError("invalid", code, { detail }),
  malformed: (detail: string) => new ServiceError("malformed", "malformed", { detail }),
  /** The request is valid, but the state of the object does not allow it. */
  conflict: (code: string, message: string) => new ServiceError("conflict", code, { message }),
  /** Other requests have changed the same data during each attempt. */
  concurrentChanges: () =>
    errors.conflict("concurrent_changes", "Other requests change the same data. Repeat the request later."),
  unauthenticated: (sent: boolean) =>
    new ServiceError("unauthenticated", sent ? "invalid_token" : "not_authenticated", {
      detail: sent ? "Invalid or expired token." : "Authentication credentials were not provided.",
    }),
  forbidden: (detail = "You do not have permission to perform this action.") =>
    new ServiceError("forbidden", "permission_denied", { detail }),
  /**
   * The personal token of the caller does not allow the operation (RFC 6750 section 3.1).
   * @param scope scope that would allow it; null if no personal token may call it
   */
  insufficientScope: (scope: string | null) =>
    new ServiceError("forbidden", "insufficient_scope", {
      detail:
        scope === null
          ? "Personal tokens and tokens of applications may not do this. Sign in to the service with your password."
          : `The token does not have the scope ${scope}.`,
    }),
  /** Sent only to authenticated callers. */
  accountDisabled: () =>
    new ServiceError("forbidden", "account_disabled", {
      detail: "This account is disabled. Ask the operator of the service.",
    }),
  /** Sent only to callers who know the password. */
  providerRequired: (provider: string) =>
    new ServiceError("forbidden", "provider_required", {
      detail: `Sign in with ${provider}: the roles of this account come from its groups, so its password is not accepted.`,
    }),
  notFound: (detail = "Not found.") => new ServiceError("not_found", "not_found", { detail }),
  gone: (detail: string, code = "gone") => new ServiceError("gone", code, { detail }),
  tooLarge: (detail: string) => new ServiceError("too_large", "too_large", { detail }),
  preconditionFailed: () =>
    new ServiceError("precondition_failed", "precondition_failed", {
      detail: "The object has changed since you fetched it. Fetch it again.",
    }),
  /** The service is temporarily unable to handle the request, regardless of its content. */
  unavailable: (detail: string, retryAfterMs: number) =>
    new ServiceError("unavailable", "unavailable", { detail }, retryAfterMs),
  /** The OpenID provider of the settings does not respond or is configured differently. */
  providerUnavailable: () =>
    new ServiceError(
      "unavailable",
      "provider_unavailable",
      {
        detail: "The OpenID provider does not respond correctly. Try again later.",
      },
      PROVIDER_RETRY_MS,
    ),
  throttled: (retryAfterMs: number) => {
    const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
    return new ServiceError(
      "throttled",
      "throttled",
      {
        detail: `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? "" : "s"}.`,
      },
      retryAfterMs,
    );
  },
};
