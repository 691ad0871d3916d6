/** Which job carries a delivery; which receiver a job is for, so that a slow one does not hold up the others. */
export default `
ALTER TABLE jobs ADD COLUMN receiver text;
ALTER TABLE webhook_deliveries ADD COLUMN job_id bigint;
CREATE INDEX webhook_deliveries_job ON webhook_deliveries (job_id);
`;
