/**
 * Jobs are found by their kind and by the account whose share of the work they are, webhooks by their receiver as well, so
 * that no job is behind others of another kind, account or receiver. A job names the worker that has it, so that the job
 * can be given back when that worker's session ends.
 */
export default `
ALTER TABLE jobs ADD COLUMN charged_to bigint NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN worker integer;
UPDATE jobs SET charged_to = account_id WHERE account_id IS NOT NULL;
CREATE SEQUENCE worker_numbers AS integer CYCLE;

DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (kind, due_at) WHERE state IN ('PENDING', 'RETRY');
CREATE INDEX jobs_shares ON jobs (kind, charged_to, due_at, id) WHERE state IN ('PENDING', 'RETRY');
CREATE INDEX jobs_receivers ON jobs (kind, charged_to, receiver, due_at, id)
  WHERE state IN ('PENDING', 'RETRY') AND receiver IS NOT NULL;

-- Finds the delivery of an equal event that nobody has tried to send yet.
CREATE INDEX webhook_deliveries_equal ON webhook_deliveries (webhook_id, event, data) WHERE state = 'pending';
-- Finds what is still to be sent of a webhook that is deleted or disabled.
CREATE INDEX webhook_deliveries_open ON webhook_deliveries (webhook_id) WHERE state IN ('pending', 'retrying');
`;
