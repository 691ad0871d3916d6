export { recordedTimeMs } from "../metrics/recorded-time.js";
export { benchOf, offIntervals } from "./bench.js";
export {
  figureOf,
  MAIN_COLUMNS,
  SQUAD_COLUMNS,
  type SquadColumn,
  sortRows,
  summaryOf,
  wholeRows,
} from "./columns.js";
export { contentKey, isSameRecording } from "./copies.js";
export { damageOf } from "./damage.js";
export { type FigureDefinition, figureDefinitions } from "./definitions.js";
export { distinctNames, type NamedPerson } from "./distinct-names.js";
export { type Ground, groundOf } from "./ground.js";
export { isAtLeast, isIncomplete, periodShareWithHr } from "./incomplete.js";
export { type Interval, lengthOf, united, without } from "./interval.js";
export { asSessionPeriods, halvesOf, joinedPeriods, MATCH, matchOf } from "./matches.js";
export { hasZoneSpeeds, hasZones, ownZones, ZONE_KINDS, type ZoneKind } from "./own-zones.js";
export {
  intervalsFor,
  type PeriodsContext,
  periodsOutside,
  type SessionPeriod,
} from "./periods.js";
export { playedPeriods } from "./played.js";
export { ofAnotherSport } from "./quality.js";
export {
  mainInterval,
  recordedSpans,
  type SessionTime,
  sessionTime,
  stretchesOf,
} from "./recorded-time.js";
export { nameKey, type Player, playerOfRecording, type Roster } from "./roster.js";
export {
  type PlayedSession,
  type Season,
  type SeasonEntry,
  type SeasonPlayer,
  type SeasonRow,
  type SeasonSession,
  seasonFigure,
  seasonOf,
  seasonRow,
} from "./season.js";
export {
  isPlayedMatch,
  isWholeEntry,
  NORMAL_RULE,
  type Normal,
  normalBefore,
  shareOfMatches,
} from "./season-comparison.js";
export { type FigureLimits, limitsOf } from "./season-limits.js";
export { type SeasonDayLoad, seasonLoad } from "./season-load.js";
export { type SpeedsOfPlayer, seasonSpeeds, sessionSpeeds } from "./season-speeds.js";
export { daysSinceLast, seasonSummary } from "./season-summary.js";
export { findSessions, MAX_PAUSE_MS, type RecordingExtent } from "./sessions.js";
export {
  namesIn,
  namesInSessions,
  playerNameOf,
  type SquadMember,
  type SquadRecording,
  squadMembers,
} from "./squad-members.js";
export {
  figuresByInterval,
  highSpeedThresholds,
  limitsOfIntervals,
  type MemberFigures,
  memberFigures,
  NO_FIGURES,
  ownParameters,
  type SquadOptions,
  type SquadRow,
  squadRow,
  squadRows,
} from "./squad-table.js";
export { type SuggestedPeriod, suggestPeriods } from "./suggest-periods.js";
export {
  SUBSTITUTION_RULE,
  type SuggestedSubstitutions,
  suggestSubstitutions,
} from "./suggest-substitutions.js";
export { type PlacedPlayer, type TakingPart, type TeamFrame, teamFrames } from "./team-frames.js";
export { type TeamShapeMeans, teamShapeMeans } from "./team-shapes.js";
export { refuseWrongDates } from "./wrong-dates.js";
