import { count, integer, type Setting } from "./setting-kinds.js";

/**
 * Quotas, which limit what one account stores, and throttles, which limit the requests of one user or address in a
 * period.
 */
export const limitSettings = {
  quotaSamples: integer(1, Number.MAX_SAFE_INTEGER)(
    "QUOTA_SAMPLES",
    5_000_000_000,
    "Maximum number of samples of the devices of one account; each period of five minutes with samples counts as at least 50",
  ),
  quotaActivities: count("QUOTA_ACTIVITIES", 20_000, "Maximum number of activities of one account"),
  quotaActivityBytes: integer(1, Number.MAX_SAFE_INTEGER)(
    "QUOTA_ACTIVITY_BYTES",
    4 * 1024 ** 3,
    "Maximum stored size of the JSON and the GPX of the activities of one account",
  ),
  quotaTimeframes: count("QUOTA_TIMEFRAMES", 200_000, "Maximum number of time frames of one account"),
  quotaFigures: count(
    "QUOTA_FIGURES",
    500_000,
    "Maximum number of stored figures in the sessions of one account, one for each player and period; further figures are computed for each request, and are not in the season",
  ),
  quotaRecipes: count("QUOTA_RECIPES", 1_000, "Maximum number of recipe versions of one account"),
  quotaTokens: count("QUOTA_TOKENS", 50, "Maximum number of personal tokens of one account"),
  quotaApplications: count(
    "QUOTA_APPLICATIONS",
    20,
    "Maximum number of applications that act for one account",
  ),
  quotaOwnerships: count(
    "QUOTA_OWNERSHIPS",
    10_000,
    "Maximum number of ownerships of one account, including ended ownerships",
  ),
  quotaPermissions: count(
    "QUOTA_PERMISSIONS",
    1_000,
    "Maximum number of permissions that one athlete can grant",
  ),
  quotaStrangerPermissions: count(
    "QUOTA_STRANGER_PERMISSIONS",
    20_000,
    "Maximum number of valid permissions that one manager has from athletes whom the manager neither manages nor has had in a squad; athletes who have identified the manager by number and username count separately",
  ),
  quotaManagedAthletes: count(
    "QUOTA_MANAGED_ATHLETES",
    10_000,
    "Maximum number of athletes that one account can manage",
  ),
  quotaSquads: count("QUOTA_SQUADS", 200, "Maximum number of squads of one account"),
  quotaInvitations: count(
    "QUOTA_INVITATIONS",
    200,
    "Maximum number of invitations to the squads of one account, including accepted ones",
  ),
  quotaMembers: count(
    "QUOTA_MEMBERS",
    10_000,
    "Maximum number of members of the squads of one account, including ended memberships",
  ),
  quotaAssignments: count(
    "QUOTA_ASSIGNMENTS",
    50_000,
    "Maximum number of assignments of one account, including ended assignments",
  ),
  quotaPictureBytes: integer(1, Number.MAX_SAFE_INTEGER)(
    "QUOTA_PICTURE_BYTES",
    1024 ** 3,
    "Maximum size of the pictures of the managed athletes of one account, in base64",
  ),
  quotaResponseBytes: integer(1, Number.MAX_SAFE_INTEGER)(
    "QUOTA_RESPONSE_BYTES",
    256 * 1024 ** 2,
    "Maximum size of the responses stored for the idempotency keys of one account; responses of at most 2 KiB are not counted",
  ),
  finishedJobsPerKind: count(
    "FINISHED_JOBS_PER_KIND",
    20_000,
    "Number of finished jobs that are kept for one account and kind; older jobs are removed before JOB_RETENTION_DAYS. A recording whose job was removed is loaded again if it is uploaded again",
  ),
  quotaIdempotencyKeys: count(
    "QUOTA_IDEMPOTENCY_KEYS",
    100_000,
    "Maximum number of idempotency keys of one account in 24 hours; requests with further keys get 429",
  ),
  refreshTokensPerApplication: integer(1, 1_000_000)(
    "REFRESH_TOKENS_PER_APPLICATION",
    1000,
    "Maximum number of refresh tokens of one user for one application; a new token then revokes the least recently used one. The maximum number of access tokens is five times as high; a new token then revokes the oldest one",
  ),
  throttleUserPerMinute: count(
    "THROTTLE_USER_PER_MINUTE",
    3000,
    "Maximum number of authenticated calls of one user",
  ),
  throttleAddressPerMinute: count(
    "THROTTLE_ADDRESS_PER_MINUTE",
    600,
    "Maximum number of unauthenticated calls from one address",
  ),
  throttleRawDataPerMinute: count(
    "THROTTLE_RAW_DATA_PER_MINUTE",
    600,
    "Maximum number of calls of one user for raw data and ranges",
  ),
  throttleFilesPerMinute: count(
    "THROTTLE_FILES_PER_MINUTE",
    600,
    "Maximum number of conversions, uploaded files and bulk loads of one user",
  ),
  throttleOwnershipsPerMinute: count(
    "THROTTLE_OWNERSHIPS_PER_MINUTE",
    120,
    "Maximum number of devices that one user takes or releases",
  ),
  throttleRegistrationsPerHour: count(
    "THROTTLE_REGISTRATIONS_PER_HOUR",
    600,
    "Maximum number of registrations, new email addresses, and emails about changes to addresses that are not confirmed, from one address; above this number, changes are made without an email, and registrations and new email addresses are refused",
  ),
  throttleRegistrationBytesPerHour: count(
    "THROTTLE_REGISTRATION_BYTES_PER_HOUR",
    128 * 1024 * 1024,
    "Maximum size of the pictures in registrations from one address",
  ),
  throttleRegistrationMailsPerDay: count(
    "THROTTLE_REGISTRATION_MAILS_PER_DAY",
    10,
    "Maximum number of emails to one mailbox from all registrations; above this number, a user who has chosen a password is registered without an email",
  ),
  throttleAccountMailsPerDay: count(
    "THROTTLE_ACCOUNT_MAILS_PER_DAY",
    50,
    "Maximum number of changes to the username, email address and password of one account, each of which sends an email; also the maximum number of emails about such changes to one mailbox from all accounts that have not confirmed its address, above which changes are made without an email",
  ),
  throttleTokensPerMinute: count(
    "THROTTLE_TOKENS_PER_MINUTE",
    300,
    "Maximum number of token requests from one address",
  ),
  throttleFailedPasswords: count(
    "THROTTLE_FAILED_PASSWORDS",
    20,
    "Maximum number of wrong passwords for one username from one address in 15 minutes",
  ),
  throttlePasswordChangesPerHour: count(
    "THROTTLE_PASSWORD_CHANGES_PER_HOUR",
    60,
    "Maximum number of password changes of one user",
  ),
  throttlePasswordResetsPerHour: count(
    "THROTTLE_PASSWORD_RESETS_PER_HOUR",
    60,
    "Maximum number of password reset links for one address",
  ),
  throttlePasswordResetsOfUserPerHour: count(
    "THROTTLE_PASSWORD_RESETS_OF_USER_PER_HOUR",
    5,
    "Maximum number of password reset links for one username from one address; after this number of emails to an account, or to all accounts with one mailbox that have not confirmed its address, further emails are distributed over the hour",
  ),
} as const satisfies Record<string, Setting<unknown>>;
