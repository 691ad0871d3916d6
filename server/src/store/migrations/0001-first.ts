/** The tables of the first release. A later migration changes them. */
const TABLES = `
CREATE TABLE accounts (
  id bigserial PRIMARY KEY,
  role text NOT NULL CHECK (role IN ('MANAGER', 'ATHLETE', 'ADMINISTRATOR')),
  username text NOT NULL,
  username_key text NOT NULL UNIQUE,
  email text NOT NULL,
  email_confirmed boolean NOT NULL DEFAULT false,
  external_id text,
  password_hash text,
  first_name text,
  last_name text,
  profile_external_id text,
  gender text,
  weight_kg double precision,
  height_m double precision,
  birth_date date,
  nationality text,
  profile_picture text,
  managed_by bigint REFERENCES accounts,
  is_default_athlete boolean NOT NULL DEFAULT false,
  can_create_managed_athletes boolean NOT NULL DEFAULT false,
  disabled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX accounts_external_id ON accounts (role, external_id);
CREATE UNIQUE INDEX accounts_default_athlete ON accounts (managed_by) WHERE is_default_athlete;
CREATE INDEX accounts_managed_by ON accounts (managed_by);

CREATE TABLE applications (
  id bigserial PRIMARY KEY,
  client_id text NOT NULL UNIQUE,
  secret_hash bytea NOT NULL,
  name text NOT NULL,
  grants text[] NOT NULL,
  redirect_uris text[] NOT NULL,
  revoked_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  -- With client credentials, the application acts for this account, with these rights.
  account_id bigint REFERENCES accounts ON DELETE CASCADE,
  scopes text[],
  last_used_at timestamptz(3)
);
CREATE INDEX applications_account ON applications (account_id) WHERE account_id IS NOT NULL;
-- The application to which the sessions of the page belong. Nobody knows its secret.
INSERT INTO applications (client_id, secret_hash, name, grants, redirect_uris, created_at)
VALUES ('asi-page', sha256(gen_random_uuid()::text::bytea), 'Page', '{}', '{}', now());
-- The application of the tokens that users create for their programs.
INSERT INTO applications (client_id, secret_hash, name, grants, redirect_uris, created_at)
VALUES ('asi-token', sha256(gen_random_uuid()::text::bytea), 'Personal tokens', '{}', '{}', now());
-- The application of the command asi, which has no secret.
INSERT INTO applications (client_id, secret_hash, name, grants, redirect_uris, created_at)
VALUES ('asi-command', sha256(gen_random_uuid()::text::bytea), 'The command asi',
  '{urn:ietf:params:oauth:grant-type:device_code}', '{}', now());

CREATE TABLE access_tokens (
  token_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id bigint NOT NULL REFERENCES applications ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL,
  -- The refresh token from which it comes.
  refresh_hash bytea,
  -- The rights of a personal token; without it, the token has all rights of the account.
  scopes text[]
);
CREATE INDEX access_tokens_account ON access_tokens (account_id, application_id, expires_at);
CREATE INDEX access_tokens_expiry ON access_tokens (expires_at);
CREATE INDEX access_tokens_refresh ON access_tokens (refresh_hash) WHERE refresh_hash IS NOT NULL;
CREATE INDEX access_tokens_application ON access_tokens (application_id);

CREATE TABLE refresh_tokens (
  token_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id bigint NOT NULL REFERENCES applications ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  -- The code from which it comes: a second use of the code revokes it.
  code_hash bytea,
  -- The token that was unused longest is revoked first.
  last_used_at timestamptz(3) NOT NULL,
  -- The operator uses this number for the session.
  id bigserial,
  -- For sessions of the page: their end, and the browser, so that a user recognises them.
  expires_at timestamptz(3),
  browser text,
  -- The name of a personal token.
  name text,
  -- When the user has entered a password, here or at the OpenID provider.
  authenticated_at timestamptz(3)
);
CREATE INDEX refresh_tokens_code ON refresh_tokens (code_hash) WHERE code_hash IS NOT NULL;
CREATE INDEX refresh_tokens_use ON refresh_tokens (account_id, application_id, last_used_at);
CREATE UNIQUE INDEX refresh_tokens_id ON refresh_tokens (id);
CREATE INDEX refresh_tokens_application ON refresh_tokens (application_id);
CREATE INDEX refresh_tokens_expiry ON refresh_tokens (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE authorization_codes (
  code_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id bigint NOT NULL REFERENCES applications ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  code_challenge text,
  expires_at timestamptz(3) NOT NULL,
  -- A used code stays until it expires, so that a second use is recognised.
  used_at timestamptz(3)
);
CREATE INDEX authorization_codes_account ON authorization_codes (account_id);
CREATE INDEX authorization_codes_application ON authorization_codes (application_id);
CREATE INDEX authorization_codes_expiry ON authorization_codes (expires_at);

-- Sign-ins on devices without a browser (RFC 8628), until their token is issued.
CREATE TABLE device_codes (
  device_hash bytea PRIMARY KEY,
  user_hash bytea NOT NULL UNIQUE,
  application_id bigint NOT NULL REFERENCES applications ON DELETE CASCADE,
  scopes text[] NOT NULL,
  address text NOT NULL,
  -- Null while the user has not decided.
  is_approved boolean,
  account_id bigint REFERENCES accounts ON DELETE CASCADE,
  interval_s integer NOT NULL,
  polled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX device_codes_address ON device_codes (address, application_id);
CREATE INDEX device_codes_application ON device_codes (application_id);
CREATE INDEX device_codes_account ON device_codes (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX device_codes_expiry ON device_codes (expires_at);

-- Mailed links for a new password.
CREATE TABLE password_resets (
  token_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX password_resets_account ON password_resets (account_id);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);

-- Users of OpenID providers. Issuer and subject identify a user for ever; names and email addresses do not.
CREATE TABLE identities (
  id bigserial PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  issuer text NOT NULL,
  subject text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  last_used_at timestamptz(3),
  UNIQUE (issuer, subject),
  UNIQUE (account_id, issuer)
);

-- Sign-ins that wait for the provider. The cookie of the browser has the value with this hash.
CREATE TABLE openid_sign_ins (
  flow_hash bytea PRIMARY KEY,
  -- The account that will be linked; without it, the user signs in.
  account_id bigint REFERENCES accounts ON DELETE CASCADE,
  -- The token of the request that began it: it must still be valid to link, and is replaced by a sign-in.
  token_hash bytea,
  expires_at timestamptz(3) NOT NULL,
  -- For an action that needs a recent sign-in.
  must_authenticate boolean NOT NULL
);
CREATE INDEX openid_sign_ins_account ON openid_sign_ins (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX openid_sign_ins_expiry ON openid_sign_ins (expires_at);

CREATE TABLE devices (
  id bigserial PRIMARY KEY,
  device_name text NOT NULL,
  serial_number text NOT NULL UNIQUE,
  device_type text NOT NULL,
  firmware_version text,
  custom_name text,
  activation_time timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  -- The time as of which the firmware version is known: an old recording does not bring an old version back.
  firmware_at timestamptz(3),
  retired_at timestamptz(3)
);

CREATE TABLE ownerships (
  id bigserial PRIMARY KEY,
  device_id bigint NOT NULL REFERENCES devices,
  manager_id bigint NOT NULL REFERENCES accounts,
  start_time timestamptz(3) NOT NULL,
  end_time timestamptz(3) NOT NULL CHECK (end_time >= start_time),
  version integer NOT NULL DEFAULT 1
);
-- At most one current owner: the constant end of a current ownership comes from the specification.
CREATE UNIQUE INDEX ownerships_current ON ownerships (device_id) WHERE end_time = '2999-12-31T23:59:59Z';
CREATE INDEX ownerships_device ON ownerships (device_id, start_time);
CREATE INDEX ownerships_manager ON ownerships (manager_id, device_id, start_time, end_time);

CREATE TABLE bluetooth_configurations (
  device_id bigint PRIMARY KEY REFERENCES devices,
  target jsonb NOT NULL,
  current jsonb NOT NULL,
  reported_in bigint REFERENCES ownerships,
  version integer NOT NULL DEFAULT 1
);

CREATE TABLE bluetooth_commands (
  device_id bigint NOT NULL REFERENCES devices,
  configuration_version integer NOT NULL,
  target jsonb NOT NULL,
  immediate boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (device_id, configuration_version)
);

CREATE TABLE jobs (
  id bigserial PRIMARY KEY,
  job_id text NOT NULL UNIQUE,
  kind text NOT NULL,
  account_id bigint REFERENCES accounts ON DELETE SET NULL,
  state text NOT NULL CHECK (state IN ('PENDING', 'STARTED', 'SUCCESS', 'FAILURE', 'RETRY', 'REVOKED')),
  payload jsonb NOT NULL,
  -- Names its bytes in job_bodies.
  body text,
  body_bytes integer NOT NULL DEFAULT 0,
  details jsonb NOT NULL,
  unique_key text,
  failures integer NOT NULL DEFAULT 0,
  losses integer NOT NULL DEFAULT 0,
  due_at timestamptz(3) NOT NULL,
  lease_until timestamptz(3),
  lease_token text,
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  -- The host that a webhook calls: a slow receiver does not delay the others.
  receiver text,
  -- The account whose share of the work the job is.
  charged_to bigint NOT NULL DEFAULT 0,
  -- The address that caused the job, as a keyed hash: many accounts of one address have one share. Empty for the service itself.
  charged_group text COLLATE "C" NOT NULL DEFAULT ''
);
CREATE INDEX jobs_due ON jobs (kind, due_at) WHERE state IN ('PENDING', 'RETRY');
CREATE INDEX jobs_groups ON jobs (kind, charged_group, due_at) WHERE state IN ('PENDING', 'RETRY');
CREATE INDEX jobs_shares ON jobs (kind, charged_group, charged_to, due_at, id) WHERE state IN ('PENDING', 'RETRY');
CREATE INDEX jobs_receivers ON jobs (kind, charged_group, charged_to, receiver, due_at, id)
  WHERE state IN ('PENDING', 'RETRY') AND receiver IS NOT NULL;
CREATE INDEX jobs_account ON jobs (account_id) WHERE account_id IS NOT NULL;
-- Also finds the oldest finished jobs of an account, of which a limited number is kept.
CREATE INDEX jobs_charged ON jobs (charged_to, kind, finished_at, id);
-- An account can have many jobs. These find the jobs of one recording, time frame or session, and the derivations of a session, among them.
CREATE INDEX jobs_recording ON jobs (charged_to, (payload->>'device'), (payload->>'sha256')) WHERE payload ? 'sha256';
CREATE INDEX jobs_timeframe ON jobs (charged_to, (payload->>'timeframe'))
  WHERE kind = 'compute' AND state IN ('PENDING', 'RETRY', 'STARTED');
CREATE INDEX jobs_session ON jobs (charged_to, (payload->>'session'))
  WHERE kind = 'session-figures' AND state IN ('PENDING', 'RETRY', 'STARTED');
CREATE INDEX jobs_derivations ON jobs (charged_to, (payload->>'subject'))
  WHERE kind = 'derive' AND state IN ('PENDING', 'RETRY', 'STARTED');
CREATE INDEX jobs_failed_session ON jobs (charged_to, (details->>'session'), created_at)
  WHERE kind = 'session-figures' AND state = 'FAILURE';
-- The loaded recordings of a device by their times, as rectangles of device and milliseconds. A B-tree cannot find overlapping times.
CREATE INDEX jobs_loaded_times ON jobs USING gist (box(
    point((payload->>'device')::float8, (payload->>'from')::float8),
    point((payload->>'device')::float8, (payload->>'to')::float8)))
  WHERE payload ? 'sha256' AND payload ? 'from';
CREATE INDEX jobs_lease ON jobs (lease_until) WHERE state = 'STARTED';
CREATE UNIQUE INDEX jobs_unique_key ON jobs (kind, unique_key) WHERE state = 'PENDING';
CREATE INDEX jobs_finished ON jobs (finished_at);
-- The bytes that wait for their jobs are limited for each account and each address.
CREATE UNIQUE INDEX jobs_body ON jobs (body) WHERE body IS NOT NULL;
CREATE INDEX jobs_bytes ON jobs (charged_to) WHERE body IS NOT NULL;
CREATE INDEX jobs_group_bytes ON jobs (charged_group) WHERE body IS NOT NULL;

-- The bytes of jobs, in pieces that are written before their job: one statement for all of them would keep others waiting.
CREATE TABLE job_bodies (
  body text NOT NULL,
  piece integer NOT NULL,
  bytes bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (body, piece)
);
CREATE INDEX job_bodies_age ON job_bodies (created_at);
-- Recordings are compressed badly by the database and cost it time.
ALTER TABLE job_bodies ALTER COLUMN bytes SET STORAGE EXTERNAL;
-- However a job ends or is deleted, its bytes go with it.
CREATE FUNCTION remove_job_body() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM job_bodies WHERE body = OLD.body;
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_body_ended AFTER UPDATE OF body ON jobs
  FOR EACH ROW WHEN (OLD.body IS NOT NULL AND NEW.body IS NULL) EXECUTE FUNCTION remove_job_body();
CREATE TRIGGER jobs_body_deleted AFTER DELETE ON jobs
  FOR EACH ROW WHEN (OLD.body IS NOT NULL) EXECUTE FUNCTION remove_job_body();

CREATE TABLE permissions (
  id bigserial PRIMARY KEY,
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  manager_id bigint NOT NULL REFERENCES accounts,
  permission text NOT NULL CHECK (permission IN ('READ', 'WRITE', 'SHARE')),
  start_time timestamptz(3) NOT NULL,
  expiration_time timestamptz(3) NOT NULL
);
-- With the expiration first, current permissions are found without those that have expired.
CREATE INDEX permissions_athlete ON permissions (athlete_id, manager_id, permission, expiration_time, start_time);
-- These find the permissions that begin or end in a time, in the order of the changes.
CREATE INDEX permissions_manager ON permissions (manager_id, permission, start_time, athlete_id);
-- Partial, so that no statement on given athletes uses it: it would read all athletes of a manager.
CREATE INDEX permissions_ends ON permissions (manager_id, expiration_time, athlete_id) WHERE permission = 'READ';

-- The managers whom an athlete has found by number and username, and whose names the athlete sees.
CREATE TABLE known_managers (
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  manager_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  PRIMARY KEY (athlete_id, manager_id)
);
CREATE INDEX known_managers_manager ON known_managers (manager_id);

CREATE TABLE json_schemas (
  id bigserial PRIMARY KEY,
  name text NOT NULL UNIQUE,
  type smallint NOT NULL CHECK (type IN (1, 2)),
  parent_id bigint REFERENCES json_schemas,
  schema jsonb NOT NULL
);

CREATE TABLE activities (
  id bigserial PRIMARY KEY,
  name text NOT NULL,
  json jsonb NOT NULL,
  json_schema_id bigint NOT NULL REFERENCES json_schemas,
  owner_id bigint NOT NULL REFERENCES accounts,
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX activities_owner_order ON activities (owner_id, id);

CREATE TABLE timeframes (
  id bigserial PRIMARY KEY,
  start_time timestamptz(3) NOT NULL,
  end_time timestamptz(3) NOT NULL CHECK (end_time > start_time),
  params jsonb NOT NULL,
  device_id bigint NOT NULL REFERENCES devices,
  activity_id bigint NOT NULL REFERENCES activities ON DELETE CASCADE,
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  owner_id bigint NOT NULL REFERENCES accounts,
  json_schema_id bigint NOT NULL REFERENCES json_schemas,
  -- Since when it says that the athlete wore the device at this time.
  assigned_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  data_version integer NOT NULL DEFAULT 1
);
CREATE INDEX timeframes_owner_order ON timeframes (owner_id, id);
CREATE INDEX timeframes_activity ON timeframes (activity_id);
CREATE INDEX timeframes_athlete ON timeframes (athlete_id, owner_id, start_time, id);
CREATE INDEX timeframes_device ON timeframes (device_id, start_time, id);

CREATE TABLE computed_data (
  timeframe_id bigint PRIMARY KEY REFERENCES timeframes ON DELETE CASCADE,
  timeframe_version integer NOT NULL,
  data_version integer NOT NULL,
  -- Text as it was computed: jsonb would reorder its keys.
  data text NOT NULL,
  computed_at timestamptz(3) NOT NULL,
  -- The version of the rules that gave both texts.
  rules_version integer NOT NULL,
  -- The figures that are returned on request, and those of recipes; text as it was computed.
  further text NOT NULL,
  -- The points of the acceleration-speed profile as JSON, so that a profile of several sessions is made without the larger texts.
  profile_points text,
  -- One of these figures, in m/s, so that the sessions of a season are compared without reading the texts.
  session_max_speed double precision
);
CREATE INDEX computed_data_rules ON computed_data (rules_version);

-- A version of a recipe of an account. It never changes.
CREATE TABLE recipes (
  id bigserial PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  name text NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  -- SHA-256 of the recipe.
  hash text NOT NULL,
  -- Canonical JSON (RFC 8785).
  recipe text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- The row of the highest version of a name stays, so that no other recipe gets its number.
  deleted_at timestamptz(3)
);
CREATE UNIQUE INDEX recipes_name ON recipes (account_id, name, version);
CREATE INDEX recipes_order ON recipes (account_id, id);

-- The recipes that the params of time frames name. A recipe in use is not deleted.
CREATE TABLE timeframe_recipes (
  timeframe_id bigint NOT NULL REFERENCES timeframes ON DELETE CASCADE,
  position smallint NOT NULL,
  recipe_id bigint NOT NULL REFERENCES recipes,
  PRIMARY KEY (timeframe_id, position)
);
CREATE INDEX timeframe_recipes_recipe ON timeframe_recipes (recipe_id);

CREATE TABLE squads (
  id bigserial PRIMARY KEY,
  name text NOT NULL,
  owner_id bigint NOT NULL REFERENCES accounts,
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX squads_order ON squads (owner_id, id);

-- The players of a squad. A change of number, position or thresholds ends one row and begins another.
CREATE TABLE squad_members (
  id bigserial PRIMARY KEY,
  squad_id bigint NOT NULL REFERENCES squads ON DELETE CASCADE,
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  number smallint,
  position text,
  -- Thresholds, by the names of the params of time frames.
  params jsonb NOT NULL,
  start_time timestamptz(3) NOT NULL,
  end_time timestamptz(3) NOT NULL CHECK (end_time > start_time),
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX squad_members_order ON squad_members (squad_id, id);
CREATE INDEX squad_members_athlete ON squad_members (athlete_id, squad_id, end_time, start_time);
CREATE INDEX squad_members_current ON squad_members (squad_id, end_time, start_time);

-- Whom the owner of a squad lets in. An open invitation to an unknown username has no guest.
CREATE TABLE squad_grants (
  id bigserial PRIMARY KEY,
  squad_id bigint NOT NULL REFERENCES squads ON DELETE CASCADE,
  guest_id bigint REFERENCES accounts ON DELETE CASCADE,
  username text NOT NULL,
  role text NOT NULL CHECK (role IN ('coach', 'analyst', 'physician')),
  created_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  version integer NOT NULL DEFAULT 1,
  -- Given by a group of the OpenID provider, instead of by the owner.
  by_provider boolean NOT NULL DEFAULT false,
  CHECK (accepted_at IS NULL OR guest_id IS NOT NULL)
);
CREATE INDEX squad_grants_order ON squad_grants (squad_id, id);
CREATE INDEX squad_grants_guest ON squad_grants (guest_id, id);
CREATE UNIQUE INDEX squad_grants_accepted ON squad_grants (squad_id, guest_id) WHERE accepted_at IS NOT NULL;

-- Which athlete wears which device.
CREATE TABLE assignments (
  id bigserial PRIMARY KEY,
  owner_id bigint NOT NULL REFERENCES accounts,
  device_id bigint NOT NULL REFERENCES devices,
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  start_time timestamptz(3) NOT NULL,
  end_time timestamptz(3) NOT NULL CHECK (end_time > start_time),
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX assignments_order ON assignments (owner_id, id);
-- With the end first, current assignments are found without past ones.
CREATE INDEX assignments_device ON assignments (device_id, owner_id, end_time, start_time);
CREATE INDEX assignments_athlete ON assignments (athlete_id, owner_id, end_time, start_time);

-- What a squad did together. The name, the owner and the sport are those of the activity.
CREATE TABLE sessions (
  activity_id bigint PRIMARY KEY REFERENCES activities ON DELETE CASCADE,
  squad_id bigint NOT NULL REFERENCES squads,
  kind text NOT NULL CHECK (kind IN ('match', 'training', 'other')),
  place text,
  notes text,
  start_time timestamptz(3) NOT NULL,
  end_time timestamptz(3) NOT NULL CHECK (end_time > start_time),
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX sessions_order ON sessions (squad_id, start_time, activity_id);

-- Rows like those of periods.csv: a row with an athlete is the time of this player in the period; without times, the player does not
-- take part.
CREATE TABLE session_periods (
  id bigserial PRIMARY KEY,
  session_id bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
  position smallint NOT NULL,
  name text NOT NULL,
  athlete_id bigint REFERENCES accounts ON DELETE CASCADE,
  start_time timestamptz(3),
  end_time timestamptz(3) CHECK (end_time > start_time),
  CHECK ((start_time IS NULL) = (end_time IS NULL)),
  CHECK (start_time IS NOT NULL OR athlete_id IS NOT NULL)
);
CREATE UNIQUE INDEX session_periods_order ON session_periods (session_id, position);
CREATE INDEX session_periods_athlete ON session_periods (athlete_id) WHERE athlete_id IS NOT NULL;

-- The time frames that are derived from a session. The period is empty for the whole session.
CREATE TABLE session_timeframes (
  timeframe_id bigint PRIMARY KEY REFERENCES timeframes ON DELETE CASCADE,
  session_id bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
  period text NOT NULL
);
CREATE INDEX session_timeframes_session ON session_timeframes (session_id);

-- Sessions whose last derivation a limit has prevented, and the players whose time frames are incomplete.
CREATE TABLE refused_derivations (
  session_id bigint PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  athletes bigint[] NOT NULL
);

-- The figures of a player in a period, or in the whole session if the period is empty.
CREATE TABLE session_figures (
  session_id bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  period text NOT NULL,
  -- The time frames and their versions from which the figures were computed.
  inputs text NOT NULL,
  -- A season reads the figures and the times with data, but not the details.
  figures text NOT NULL,
  recorded_ms double precision,
  -- Length of the period for the player.
  period_ms double precision NOT NULL,
  seconds text NOT NULL,
  details text NOT NULL,
  computed_at timestamptz(3) NOT NULL,
  rules_version integer NOT NULL,
  PRIMARY KEY (session_id, athlete_id, period)
);
CREATE INDEX session_figures_athlete ON session_figures (athlete_id);

-- Players whose figures a job could not compute from these inputs.
CREATE TABLE failed_figures (
  session_id bigint NOT NULL REFERENCES sessions ON DELETE CASCADE,
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  inputs text NOT NULL,
  failed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (session_id, athlete_id)
);
CREATE INDEX failed_figures_athlete ON failed_figures (athlete_id);

-- The job that computes the figures of a session, or did so last: two jobs of a session do not run at the same time.
CREATE TABLE figures_claims (
  session_id bigint PRIMARY KEY REFERENCES sessions ON DELETE CASCADE,
  job_id bigint NOT NULL
);

-- Changes that make the computed data of many time frames stale. Until a job has marked them, in batches, a time frame that the
-- change concerns is stale too if it follows the position: of a device in the order of starts and ids, of others of ids.
CREATE TABLE recomputations (
  id bigserial PRIMARY KEY,
  athlete_id bigint REFERENCES accounts ON DELETE CASCADE,
  activity_id bigint REFERENCES activities ON DELETE CASCADE,
  device_id bigint REFERENCES devices,
  -- With a device: only the time frames of this manager, and of these times.
  owner_id bigint REFERENCES accounts ON DELETE CASCADE,
  times tstzmultirange,
  -- Whether the stored results are deleted, because they contain deleted samples.
  forgets boolean NOT NULL,
  done_start timestamptz(3) CHECK ((device_id IS NULL) = (done_start IS NULL)),
  done_through bigint NOT NULL,
  -- Tells the job that marks whether the input has changed again.
  version integer NOT NULL DEFAULT 1
);
-- One row for each input, however often it changes: reading computed data looks through all rows.
CREATE UNIQUE INDEX recomputations_input ON recomputations
  (coalesce(athlete_id, 0), coalesce(activity_id, 0), coalesce(device_id, 0), coalesce(owner_id, 0), forgets);
CREATE INDEX recomputations_athlete ON recomputations (athlete_id) WHERE athlete_id IS NOT NULL;
CREATE INDEX recomputations_activity ON recomputations (activity_id) WHERE activity_id IS NOT NULL;
CREATE INDEX recomputations_device ON recomputations (device_id) WHERE device_id IS NOT NULL;
CREATE INDEX recomputations_owner ON recomputations (owner_id) WHERE owner_id IS NOT NULL;

CREATE TABLE webhooks (
  id bigserial PRIMARY KEY,
  -- Either the activity whose events it receives (version 1), or the account (version 2) and the types of its events.
  activity_id bigint REFERENCES activities ON DELETE CASCADE,
  owner_id bigint REFERENCES accounts ON DELETE CASCADE,
  events text[],
  webhook_url text NOT NULL,
  secret_token text NOT NULL,
  activity_events boolean NOT NULL,
  timeframes_events boolean NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  disabled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  CHECK (num_nonnulls(activity_id, owner_id) = 1),
  CHECK ((owner_id IS NULL) = (events IS NULL))
);
CREATE INDEX webhooks_activity ON webhooks (activity_id) WHERE activity_id IS NOT NULL;
CREATE INDEX webhooks_owner ON webhooks (owner_id) WHERE owner_id IS NOT NULL;

-- Replaced secrets of webhooks of accounts, which still sign calls until they expire.
CREATE TABLE previous_webhook_secrets (
  id bigserial PRIMARY KEY,
  webhook_id bigint NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  secret_token text NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX previous_webhook_secrets_webhook ON previous_webhook_secrets (webhook_id, expires_at);
CREATE INDEX previous_webhook_secrets_expiry ON previous_webhook_secrets (expires_at);

CREATE TABLE webhook_deliveries (
  id bigserial PRIMARY KEY,
  message_id text NOT NULL UNIQUE,
  webhook_id bigint NOT NULL,
  url text NOT NULL,
  secret_token text NOT NULL,
  event text NOT NULL,
  data jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ('pending', 'retrying', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  response_status integer,
  response text,
  created_at timestamptz(3) NOT NULL,
  last_attempt_at timestamptz(3),
  -- The job that sends it.
  job_id bigint,
  -- In a failed delivery: the number of events that were not sent because too many calls waited.
  unsent integer
);
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_job ON webhook_deliveries (job_id);
-- Finds the delivery of an equal event that has not been tried yet.
CREATE INDEX webhook_deliveries_equal ON webhook_deliveries (webhook_id, event, data) WHERE state = 'pending';
-- Finds the unsent deliveries of a webhook that is deleted or disabled.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook_id) WHERE state IN ('pending', 'retrying');
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (created_at) WHERE state IN ('delivered', 'failed');

CREATE TABLE audit_log (
  id bigserial PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  account_id bigint,
  operation text NOT NULL,
  entity text NOT NULL,
  entity_id bigint NOT NULL,
  before jsonb,
  after jsonb,
  request_id text NOT NULL,
  -- Who ran a command of the operator.
  operator text
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_entity ON audit_log (entity, entity_id);
-- Find the rows by a person and about a person, so that their values are erased with the person.
CREATE INDEX audit_log_account ON audit_log (account_id);
-- What is erased with an account in parts: each part finds the next rows by an index of those that are left.
CREATE INDEX audit_log_values_by ON audit_log (account_id, id) WHERE before IS NOT NULL OR after IS NOT NULL;
CREATE INDEX audit_log_values_of ON audit_log (entity, entity_id, at) WHERE before IS NOT NULL OR after IS NOT NULL;
CREATE INDEX audit_log_webhooks ON audit_log (account_id, entity_id) WHERE entity = 'webhook';
CREATE INDEX audit_log_people ON audit_log USING gin ((ARRAY[
  before->>'athleteId', after->>'athleteId', before->>'managerId', after->>'managerId',
  before->>'ownerId', after->>'ownerId', before->>'managedBy', after->>'managedBy',
  before->>'accountId', after->>'accountId'
]));

-- The erased accounts, by a hash that contains no value of the person. The list outside of the database has the same entries;
-- they are applied again after an old backup has been restored.
CREATE TABLE erasures (
  id bigserial PRIMARY KEY,
  person text NOT NULL,
  at timestamptz(3) NOT NULL,
  kind text NOT NULL CHECK (kind IN ('deleted', 'erased', 'erased with samples'))
);
CREATE UNIQUE INDEX erasures_person ON erasures (person);

-- The keys that encrypt secrets since the first rotation, each encrypted with every server key that may open it. Without a
-- row, secrets are encrypted with the server key itself.
CREATE TABLE encryption_keys (
  key_id bigint NOT NULL,
  server_key_id text NOT NULL,
  encrypted_key text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (key_id, server_key_id)
);

CREATE TABLE idempotency_keys (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  path text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  created_at timestamptz(3) NOT NULL,
  -- The response as it was sent.
  status smallint,
  headers jsonb,
  body bytea,
  PRIMARY KEY (account_id, path, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
-- The bytes of large responses are limited for each account.
CREATE INDEX idempotency_keys_large ON idempotency_keys (account_id) WHERE octet_length(body) > 2048;

-- Who receives live data, and on which connection: a user has one for each device, squad and session, and one for all devices, in any
-- process. The rows of a killed process are taken over by the next connection of the user.
CREATE TABLE live_connections (
  account_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  target text NOT NULL,
  connection uuid NOT NULL,
  PRIMARY KEY (account_id, target)
);

-- A ticket opens one live connection in place of the token that made it, and ends with this token.
CREATE TABLE live_tickets (
  ticket_hash bytea PRIMARY KEY,
  token_hash bytea NOT NULL REFERENCES access_tokens (token_hash) ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX live_tickets_token ON live_tickets (token_hash);
CREATE INDEX live_tickets_expiry ON live_tickets (expires_at);

-- The recording that a device streams, or has streamed last, and its bytes until it ends.
CREATE TABLE recording_streams (
  device_id bigint PRIMARY KEY REFERENCES devices (id) ON DELETE CASCADE,
  manager_id bigint NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  recording text NOT NULL,
  connection uuid NOT NULL,
  bytes bigint NOT NULL DEFAULT 0,
  stored_until_ms bigint,
  changed int8multirange,
  ended_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL
);
CREATE INDEX recording_streams_manager ON recording_streams (manager_id);
CREATE INDEX recording_streams_age ON recording_streams (updated_at);
CREATE TABLE stream_pieces (
  device_id bigint NOT NULL REFERENCES recording_streams ON DELETE CASCADE,
  first_byte bigint NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (device_id, first_byte)
);

-- What an account has to read again: one row for each object, or for each day of a device, with the last change. Neither the account
-- nor the object needs to exist any more. (xid, seq) is the order in which readers are told, see domain/change-log.
CREATE TABLE changes (
  account_id bigint NOT NULL,
  -- 'pruned' is at most one row of an account, with the position of the last change that was removed because there were too many.
  kind text NOT NULL CHECK (kind IN ('samples', 'session', 'figures', 'squad', 'athlete', 'pruned')),
  object_id bigint NOT NULL,
  -- Of samples: days since 1970, and the changed times of this day. The end is not included.
  day integer NOT NULL DEFAULT 0,
  from_ms bigint,
  to_ms bigint,
  xid xid8 NOT NULL,
  seq bigserial NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, kind, object_id, day),
  CHECK ((kind = 'samples') = (from_ms IS NOT NULL) AND (kind = 'samples') = (to_ms IS NOT NULL))
);
CREATE INDEX changes_order ON changes (account_id, xid, seq);
CREATE INDEX changes_age ON changes (changed_at);

-- Cursors are valid as long as their epoch is in this table.
CREATE TABLE change_epochs (
  id uuid PRIMARY KEY,
  -- Identifies the database and its history.
  history text NOT NULL,
  -- Changes up to this transaction may have been removed because of their age.
  pruned_through xid8 NOT NULL,
  begun_at timestamptz(3) NOT NULL
);

-- Counters of rate-limiter-flexible; losing them costs nothing, so they need no write-ahead log.
CREATE UNLOGGED TABLE throttle_counters (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
CREATE INDEX throttle_counters_expiry ON throttle_counters (expire);
`;

/** The samples of the devices. */
export const SAMPLES = `
CREATE TABLE sample_chunks (
  device_id bigint NOT NULL,
  bucket bigint NOT NULL,
  start_ms bigint NOT NULL,
  stop_ms bigint NOT NULL,
  n integer NOT NULL CHECK (n > 0),
  payload bytea NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (device_id, bucket) INCLUDE (start_ms, stop_ms, n)
);
ALTER TABLE sample_chunks ALTER COLUMN payload SET STORAGE EXTERNAL;
CREATE INDEX sample_chunks_stored_at ON sample_chunks (stored_at);

-- Closed intervals, disjoint for each device: there were samples, and retention has removed them.
CREATE TABLE removed_samples (
  device_id bigint NOT NULL REFERENCES devices,
  start_ms bigint NOT NULL,
  stop_ms bigint NOT NULL CHECK (stop_ms >= start_ms),
  PRIMARY KEY (device_id, start_ms)
);
`;

/**
 * The JSON schemas of the first release. Their current definitions are in `../json-schema-definitions.ts`; when they change, a
 * new migration installs the new text.
 */
const JSON_SCHEMAS = `
INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_biking',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: biking","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"biking","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_running',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: running","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"running","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_soccer',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: soccer","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"soccer","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_swimming',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: swimming","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"swimming","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_trailrunning',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: trailrunning","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"trailrunning","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_triathlon',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: triathlon","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"triathlon","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_biking',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_biking'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: biking","description":"Parameters of the computed data, all optional; a default applies if the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2.778,5.556,8.333,11.111,13.889],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[1,2],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[1,2],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":11.111,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[8.333,9.722],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":30,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."},"recipes":{"type":"array","items":{"oneOf":[{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"version":{"type":"integer","minimum":1,"maximum":2147483647}},"required":["name","version"],"additionalProperties":false},{"type":"object","properties":{"hash":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["hash"],"additionalProperties":false}]},"maxItems":5,"uniqueItems":true,"description":"Recipes of the owner whose counts are added to the computed data, each identified by name and version, or by hash."}},"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_running',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_running'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: running","description":"Parameters of the computed data, all optional; a default applies if the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2,3,4,5,6],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":7,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[4,5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."},"recipes":{"type":"array","items":{"oneOf":[{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"version":{"type":"integer","minimum":1,"maximum":2147483647}},"required":["name","version"],"additionalProperties":false},{"type":"object","properties":{"hash":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["hash"],"additionalProperties":false}]},"maxItems":5,"uniqueItems":true,"description":"Recipes of the owner whose counts are added to the computed data, each identified by name and version, or by hash."}},"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_soccer',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_soccer'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: soccer","description":"Parameters of the computed data, all optional; a default applies if the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2,4,5.5,7],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":7,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[4,5.5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."},"recipes":{"type":"array","items":{"oneOf":[{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"version":{"type":"integer","minimum":1,"maximum":2147483647}},"required":["name","version"],"additionalProperties":false},{"type":"object","properties":{"hash":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["hash"],"additionalProperties":false}]},"maxItems":5,"uniqueItems":true,"description":"Recipes of the owner whose counts are added to the computed data, each identified by name and version, or by hash."}},"additionalProperties":true,"examples":[{"speed_ranges":[0,2,3.5,4.4,5.7],"sprint_threshold":5.7,"hid_thresholds":[3.5,4.4]},{"speed_ranges":[0,1.944,4.167,5.556,6.944],"sprint_threshold":6.944,"hid_thresholds":[4.167,5.556]}]}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_swimming',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_swimming'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: swimming","description":"Parameters of the computed data, all optional; a default applies if the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,0.5,1,1.5,2],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":1.8,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[1.2,1.5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.05,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."},"recipes":{"type":"array","items":{"oneOf":[{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"version":{"type":"integer","minimum":1,"maximum":2147483647}},"required":["name","version"],"additionalProperties":false},{"type":"object","properties":{"hash":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["hash"],"additionalProperties":false}]},"maxItems":5,"uniqueItems":true,"description":"Recipes of the owner whose counts are added to the computed data, each identified by name and version, or by hash."}},"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_trailrunning',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_trailrunning'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: trailrunning","description":"Parameters of the computed data, all optional; a default applies if the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,1,2,3,4,5],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":6,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[3,4],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."},"recipes":{"type":"array","items":{"oneOf":[{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"version":{"type":"integer","minimum":1,"maximum":2147483647}},"required":["name","version"],"additionalProperties":false},{"type":"object","properties":{"hash":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["hash"],"additionalProperties":false}]},"maxItems":5,"uniqueItems":true,"description":"Recipes of the owner whose counts are added to the computed data, each identified by name and version, or by hash."}},"additionalProperties":true}'::jsonb
);

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_triathlon',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_triathlon'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: triathlon","description":"Parameters of the computed data, all optional; a default applies if the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2,3,4,5,6],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":7,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[4,5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."},"recipes":{"type":"array","items":{"oneOf":[{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"version":{"type":"integer","minimum":1,"maximum":2147483647}},"required":["name","version"],"additionalProperties":false},{"type":"object","properties":{"hash":{"type":"string","pattern":"^[0-9a-f]{64}$"}},"required":["hash"],"additionalProperties":false}]},"maxItems":5,"uniqueItems":true,"description":"Recipes of the owner whose counts are added to the computed data, each identified by name and version, or by hash."}},"additionalProperties":true}'::jsonb
);`;

export default TABLES + SAMPLES + JSON_SCHEMAS;
