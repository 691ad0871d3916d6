/** Accounts, tokens, devices, jobs, activities, webhooks and the service's own records. */
export default `
CREATE TABLE accounts (
  id bigserial PRIMARY KEY,
  role text NOT NULL CHECK (role IN ('MANAGER', 'ATHLETE', 'ADMINISTRATOR')),
  username text NOT NULL,
  username_key text NOT NULL UNIQUE,
  email text NOT NULL,
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
  created_at timestamptz(3) NOT NULL
);

CREATE TABLE access_tokens (
  token_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id bigint NOT NULL REFERENCES applications ON DELETE CASCADE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX access_tokens_account ON access_tokens (account_id);
CREATE INDEX access_tokens_expiry ON access_tokens (expires_at);

CREATE TABLE refresh_tokens (
  token_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id bigint NOT NULL REFERENCES applications ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL
);
CREATE INDEX refresh_tokens_account ON refresh_tokens (account_id);

CREATE TABLE authorization_codes (
  code_hash bytea PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  application_id bigint NOT NULL REFERENCES applications ON DELETE CASCADE,
  redirect_uri text NOT NULL,
  code_challenge text,
  expires_at timestamptz(3) NOT NULL
);

CREATE TABLE devices (
  id bigserial PRIMARY KEY,
  device_name text NOT NULL,
  serial_number text NOT NULL UNIQUE,
  device_type text NOT NULL,
  firmware_version text,
  custom_name text,
  activation_time timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1
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
CREATE INDEX ownerships_manager ON ownerships (manager_id, device_id);

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
  body bytea,
  details jsonb NOT NULL,
  unique_key text,
  failures integer NOT NULL DEFAULT 0,
  losses integer NOT NULL DEFAULT 0,
  due_at timestamptz(3) NOT NULL,
  lease_until timestamptz(3),
  lease_token text,
  created_at timestamptz(3) NOT NULL,
  finished_at timestamptz(3)
);
-- Recordings are compressed badly by the database and cost it time.
ALTER TABLE jobs ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX jobs_due ON jobs (due_at) WHERE state IN ('PENDING', 'RETRY');
CREATE INDEX jobs_lease ON jobs (lease_until) WHERE state = 'STARTED';
CREATE UNIQUE INDEX jobs_unique_key ON jobs (kind, unique_key) WHERE state = 'PENDING';
CREATE INDEX jobs_finished ON jobs (finished_at);

CREATE TABLE permissions (
  id bigserial PRIMARY KEY,
  athlete_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  manager_id bigint NOT NULL REFERENCES accounts,
  permission text NOT NULL CHECK (permission IN ('READ', 'WRITE', 'SHARE')),
  start_time timestamptz(3) NOT NULL,
  expiration_time timestamptz(3) NOT NULL
);
CREATE INDEX permissions_athlete ON permissions (athlete_id, manager_id);
CREATE INDEX permissions_manager ON permissions (manager_id, permission);

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
CREATE INDEX activities_owner ON activities (owner_id);

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
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  data_version integer NOT NULL DEFAULT 1
);
CREATE INDEX timeframes_owner ON timeframes (owner_id);
CREATE INDEX timeframes_activity ON timeframes (activity_id);
CREATE INDEX timeframes_athlete ON timeframes (athlete_id);
CREATE INDEX timeframes_device ON timeframes (device_id, start_time);

CREATE TABLE computed_data (
  timeframe_id bigint PRIMARY KEY REFERENCES timeframes ON DELETE CASCADE,
  timeframe_version integer NOT NULL,
  data_version integer NOT NULL,
  data jsonb NOT NULL,
  computed_at timestamptz(3) NOT NULL
);

CREATE TABLE webhooks (
  id bigserial PRIMARY KEY,
  activity_id bigint NOT NULL REFERENCES activities ON DELETE CASCADE,
  webhook_url text NOT NULL,
  secret_token text NOT NULL,
  activity_events boolean NOT NULL,
  timeframes_events boolean NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  disabled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1
);
CREATE INDEX webhooks_activity ON webhooks (activity_id);

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
  last_attempt_at timestamptz(3)
);
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);

CREATE TABLE audit_log (
  id bigserial PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  account_id bigint,
  operation text NOT NULL,
  entity text NOT NULL,
  entity_id bigint NOT NULL,
  before jsonb,
  after jsonb,
  request_id text NOT NULL
);
CREATE INDEX audit_log_at ON audit_log (at);
CREATE INDEX audit_log_entity ON audit_log (entity, entity_id);

CREATE TABLE idempotency_keys (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  path text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  result jsonb,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (account_id, path, key)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Counters of rate-limiter-flexible; losing them costs nothing, so they need no write-ahead log.
CREATE UNLOGGED TABLE throttle_counters (
  key varchar(255) PRIMARY KEY,
  points integer NOT NULL DEFAULT 0,
  expire bigint
);
`;
