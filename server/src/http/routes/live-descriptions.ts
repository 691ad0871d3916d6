import { MAX_LIVE_DEVICES } from "../../domain/raw-data/live-devices.js";
import { LATEST_LIMITS } from "../../wire/page-limits.js";

export const LIVE_DESCRIPTION = `Server-sent events. The first \`samples\` event contains the newest sample of your ownership, or no sample if there is none yet. Later events contain samples stored afterwards, within about a second, each once and in the order in which they were stored. Late samples, which a tracker has sent after later ones, come in a \`late\` event when they are stored; a sample ahead of the clock does not make other samples late. Samples more than 15 minutes older than the newest one may be omitted, as may the older ones of more than ${LATEST_LIMITS.max} at a time, and a heart rate that is added to a sample is not sent. The data of an event are samples in chronological order. The id of an event is the time of the newest sample so far, but not later than now. A client that connects again with \`Last-Event-ID\` gets newer samples, but no samples that were stored late meanwhile. A comment is sent when there is nothing else to send.

The last event is \`end\`. Its data is an object with the \`reason\`: \`replaced\` (you have opened another connection for this device; there is one for each user and device), \`signed_out\` (the token or the session has ended), \`not_permitted\` (you no longer own the device), \`stopping\` (the process of the service stops) or \`unavailable\` (the database does not respond). After the last two, connect again.`;

export const GROUP_DESCRIPTION = `Server-sent events, like those of one device (\`/api/v1/devices/{device}/live/\`), for all devices that you own now, for those that the players of a squad wear now, or for those of a session. Each event \`samples\` or \`late\` is about one device: its data contains the \`device\`, the \`athlete\` who wears it (null for all devices) and the \`samples\`. Devices join and leave the connection while it is open.

Only the owner of a squad or a session receives its samples, from times with the permission of the athlete; those of a session are within it.

The id of an event records which samples of each device you have received. A client that connects again with \`Last-Event-ID\`, or with the parameter \`last_event_id\`, gets the newer ones of each device; devices that the id does not contain begin with their newest sample.

The last event is \`end\`, with the same reasons. There is one connection for each user and squad, for each user and session, and one for all devices. A connection has at most ${MAX_LIVE_DEVICES} devices. More are refused with 409. If devices join later, they end the connection with the reason \`too_many_devices\`.

A WebSocket on this path sends each event as a text message: an object with \`event\`, \`id\` and \`data\`: \`{"event":"samples","id":"…","data":{"device":3,…}}\`. It sends pings instead of comments. After the message \`end\`, the service closes the connection with 1001 for \`stopping\`, 1013 for \`unavailable\`, and 1008 for all other reasons. It closes the connection with 1003 if the client sends a message. Pages of other origins must be in \`CORS_ORIGINS\`; cookies are not accepted.`;
