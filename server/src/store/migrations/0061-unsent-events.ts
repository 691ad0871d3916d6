/**
 * One failed delivery counts the events of a webhook that are not sent because too many calls wait. Rows of earlier releases
 * count nothing; they stay as they are.
 */
export default `
ALTER TABLE webhook_deliveries ADD COLUMN unsent integer;
`;
