/**
 * The JSON schemas as first installed. The living definitions are in `../json-schema-definitions.ts`; when they change, a new
 * migration installs the new text.
 */
export default `
INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_biking',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: biking","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"biking","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_running',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: running","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"running","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_soccer',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: soccer","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"soccer","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_swimming',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: swimming","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"swimming","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_trailrunning',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: trailrunning","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"trailrunning","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'activity_triathlon',
  1,
  NULL,
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Activity: triathlon","description":"Parameters of an activity. Further keys are kept and returned.","type":"object","properties":{"sport":{"const":"triathlon","description":"The sport of the activity."},"gpx":{"type":"string","maxLength":5242880,"description":"The course as a GPX document, at most 5 MiB."}},"required":["sport"],"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_biking',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_biking'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: biking","description":"Parameters of the computed data, all optional; a default holds when the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2.778,5.556,8.333,11.111,13.889],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[1,2],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[1,2],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":11.111,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[8.333,9.722],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":30,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."}},"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_running',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_running'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: running","description":"Parameters of the computed data, all optional; a default holds when the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2,3,4,5,6],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":7,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[4,5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."}},"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_soccer',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_soccer'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: soccer","description":"Parameters of the computed data, all optional; a default holds when the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2,4,5.5,7],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":7,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[4,5.5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."}},"additionalProperties":true,"examples":[{"speed_ranges":[0,2,3.5,4.4,5.7],"sprint_threshold":5.7,"hid_thresholds":[3.5,4.4]},{"speed_ranges":[0,1.944,4.167,5.556,6.944],"sprint_threshold":6.944,"hid_thresholds":[4.167,5.556]}]}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_swimming',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_swimming'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: swimming","description":"Parameters of the computed data, all optional; a default holds when the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,0.5,1,1.5,2],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":1.8,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[1.2,1.5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.05,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."}},"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_trailrunning',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_trailrunning'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: trailrunning","description":"Parameters of the computed data, all optional; a default holds when the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,1,2,3,4,5],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":6,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[3,4],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."}},"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;

INSERT INTO json_schemas (name, type, parent_id, schema) VALUES (
  'timeframe_triathlon',
  2,
  (SELECT id FROM json_schemas WHERE name = 'activity_triathlon'),
  '{"$schema":"https://json-schema.org/draft/2020-12/schema","title":"Time frame: triathlon","description":"Parameters of the computed data, all optional; a default holds when the key is absent. Speeds in m/s, rounded to 0.001. Further keys are kept and returned.","type":"object","properties":{"max_hr":{"type":"number","minimum":60,"maximum":240,"description":"Maximum heart rate of the athlete in beats/min, rounded to 0.1. Absent: 208 - 0.7 x age, when the birth date is known."},"speed_ranges":{"type":"array","items":{"type":"number","minimum":0,"maximum":100},"minItems":2,"maxItems":10,"uniqueItems":true,"contains":{"const":0},"default":[0,2,3,4,5,6],"description":"Lower limits of the speed classes in m/s, ascending from 0; the last class ends at max_valid_speed."},"acceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak accelerations in m/s2, ascending."},"deceleration_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":9},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[2,3],"description":"Two peak decelerations in m/s2, given as positive numbers, ascending."},"sprint_threshold":{"type":"number","minimum":0.1,"maximum":100,"default":7,"description":"Speed in m/s from which a run is a sprint."},"hid_thresholds":{"type":"array","items":{"type":"number","minimum":0.1,"maximum":100},"minItems":2,"maxItems":2,"uniqueItems":true,"default":[4,5],"description":"Two speeds in m/s of high-intensity distance, ascending."},"intensity_span":{"type":"number","minimum":10,"maximum":3600,"default":60,"description":"Length of a slice of intensity in s."},"standstill_speed":{"type":"number","minimum":0,"maximum":2,"default":0.2,"description":"Mean speed in m/s below which an interval counts as standing."},"max_valid_speed":{"type":"number","minimum":1,"maximum":100,"default":12.5,"description":"Speed in m/s above which a sample is not used; above every limit of speed_ranges."}},"additionalProperties":true}'::jsonb
) ON CONFLICT (name) DO UPDATE
  SET type = EXCLUDED.type, parent_id = EXCLUDED.parent_id, schema = EXCLUDED.schema;`;
