// Finds heart beats in an ECG, sample by sample, as prominent maxima of the envelope. The detector is causal and needs constant
// memory.

import {
  candidates,
  clearCandidates,
  firstAfter,
  isDoubleAt,
  placeOf,
  pushCandidate,
  qrsOf,
  scoreOf,
  valleyOf,
} from "./candidates";
import { onBeat, onDoubtfulBeat, onSecond } from "./derived";
import {
  hasMaximum,
  refreshEnvelope,
  restartEnvelope,
  rootAt,
  samplesIn,
  scale,
  setEnvelopeRate,
  silence,
  slopeSamples,
  centreAt,
  sumAt,
  take,
  taken,
} from "./envelope";
import { acceptScore, addRr, clearLevels, clearRrs, noise, rejectScore, rrS, setSignal, shortRrS, signal } from "./levels";
import { addBeat, addReadingRr, clearReading, lastValley, MIN_SIGNAL, readingAt } from "./reading";

// Times in s.
// A maximum sooner than this after a start is a filter artefact.
const SETTLING_S: f64 = 0.05;
// A maximum is confirmed when no higher one follows within this time.
const CONFIRMATION_S: f64 = 0.2;
// A maximum of similar height at a greater distance makes a beat doubtful.
const RIVAL_S: f64 = 0.12;
// Similar means at least 0.6 of the envelope, which is 0.36 of its square.
const SIMILAR: f64 = 0.36;
// A maximum is compared with the envelope on both sides, from NEAR_S to SCORING_S away.
const NEAR_S: f64 = 0.125;
const SCORING_S: f64 = 0.28;
// Delay from the QRS complex to the centre of the slopes of the filtered signal.
const DELAY_S: f64 = 0.03;
// A longer time without a beat is a pause and not an RR interval.
const MAX_RR_S: f64 = 3;
// Window of a level, and time between two checks of the levels.
const LEVEL_WINDOW_S: f64 = 1.2;
const LEVEL_CHECK_S: f64 = 0.8;
const LONG_SILENCE_S: f64 = 6;
// A gap longer than HISTORY_GAP_S clears the heart rates; a gap longer than FORGOTTEN_GAP_S clears the whole state.
const HISTORY_GAP_S: f64 = 2;
const FORGOTTEN_GAP_S: f64 = 10;

const NEVER: i64 = -(1 << 52);

let rateHz: f64 = 0;
// durations in samples
let settling: i32 = 0;
let confirmation: i32 = 0;
let rival: i32 = 0;
let near: i32 = 0;
let scoring: i32 = 0;
let levelWindow: i32 = 0;
let levelCheck: i32 = 0;

/** Index of the next sample. */
export let nextSample: i64 = 0;
let start: i64 = 0;
// a maximum that a higher one may still replace; negative if there is none
let pending: i64 = -1;
let pendingIsDouble: bool = false;
// Maxima with a lower or equal sum of squares are ignored.
let least: f64 = -Infinity;
// maxima that wait for later samples, in order; at most two, because they are more than half of SCORING_S apart
let waiting1: i64 = -1;
let waiting1IsDouble: bool = false;
let waiting2: i64 = -1;
let waiting2IsDouble: bool = false;
let lastBeat: i64 = NEVER;
// position of the QRS complex of that beat, between two samples
let lastQrs: f64 = 0;
let isLinked: bool = false;
let isLearning: bool = true;
// Whether a candidate was added since the last search-back.
let isSearchDue: bool = false;
let nextLevelCheck: i64 = 0;
let nextSecond: i64 = 0;
// The sample count at which the next action is due.
let dueAt: i64 = 0;

/** Clears the state. The next sample has the index 0. */
export function forgetBeats(rate: f64): void {
  if (rate != rateHz) setRate(rate);
  nextSample = 0;
  clearLevels();
  clearReading();
  isLearning = true;
  lastBeat = NEVER;
  nextSecond = rate as i64;
  restart();
}

function setRate(rate: f64): void {
  rateHz = rate;
  setEnvelopeRate(rate);
  settling = samplesIn(SETTLING_S, rate);
  confirmation = samplesIn(CONFIRMATION_S, rate);
  rival = samplesIn(RIVAL_S, rate);
  near = samplesIn(NEAR_S, rate);
  scoring = samplesIn(SCORING_S, rate);
  levelWindow = samplesIn(LEVEL_WINDOW_S, rate);
  levelCheck = samplesIn(LEVEL_CHECK_S, rate);
}

function restart(): void {
  restartEnvelope();
  clearCandidates();
  start = nextSample;
  waiting1 = waiting2 = -1;
  clearPending();
  isLinked = isSearchDue = false;
  nextLevelCheck = nextSample + 3 * levelWindow;
  schedule();
}

/** Handles missing samples: ends the signal before them, and starts again after them. `samples` is their number. */
export function skipSamples(samples: i64): void {
  endBeats();
  if ((samples as f64) > FORGOTTEN_GAP_S * rateHz) {
    forgetBeats(rateHz);
    return;
  }
  nextSample += samples;
  // a second that ends within the gap is not evaluated
  nextSecond = (nextSample / (rateHz as i64) + 1) * (rateHz as i64);
  if ((samples as f64) > HISTORY_GAP_S * rateHz) {
    clearRrs();
    clearReading();
  }
  restart();
}

/** Ends the signal: classifies the last maxima as if silence followed. */
export function endBeats(): void {
  silence(nextSample, scoring);
  if (waiting1 >= 0) scoreWaiting();
  if (waiting1 >= 0) scoreWaiting();
  if (pending < 0) return;
  confirm();
  scoreWaiting();
}

/** Processes `count` samples from the address `at`. */
export function pushSamples(at: usize, count: i32): void {
  const end = nextSample + (count as i64);
  while (true) {
    const from = nextSample;
    take(at, from, min(end, dueAt), least);
    nextSample = taken;
    at += ((nextSample - from) as usize) << 1;
    if (hasMaximum) takeMaximum(nextSample - 2);
    if (hasMaximum || nextSample >= dueAt) handleEvents();
    if (nextSample >= end) return;
  }
}

function schedule(): void {
  let next = min(nextSecond, nextLevelCheck);
  if (pending >= 0) next = min(next, pending + confirmation + 1);
  if (waiting1 >= 0) next = min(next, waiting1 + scoring + 1);
  if (isSearchDue) next = min(next, searchTime());
  dueAt = max(next, nextSample);
}

function handleEvents(): void {
  const n = nextSample;
  if (pending >= 0 && n > pending + confirmation) confirm();
  if (waiting1 >= 0 && n > waiting1 + scoring) scoreWaiting();
  if (isSearchDue && n >= searchTime()) searchBack();
  if (n >= nextLevelCheck) {
    checkLevels();
    nextLevelCheck = n + levelCheck;
  }
  if (n >= nextSecond) endSecond();
  schedule();
}

function takeMaximum(n: i64): void {
  if (n < start + settling) return;
  const height = sumAt(n);
  if (pending < 0) {
    setPending(n, false, height);
    return;
  }
  const pendingHeight = sumAt(pending);
  const isFar = n - pending > rival;
  if (height > pendingHeight) setPending(n, isFar && pendingHeight > SIMILAR * height, height);
  else if (isFar && height > SIMILAR * pendingHeight) pendingIsDouble = true;
}

function setPending(n: i64, isDouble: bool, height: f64): void {
  pending = n;
  pendingIsDouble = isDouble;
  least = SIMILAR * height;
}

function clearPending(): void {
  pending = -1;
  least = -Infinity;
}

function confirm(): void {
  if (waiting1 < 0) {
    waiting1 = pending;
    waiting1IsDouble = pendingIsDouble;
  } else {
    waiting2 = pending;
    waiting2IsDouble = pendingIsDouble;
  }
  clearPending();
}

// Scores the maximum that has waited longest, and classifies it.
function scoreWaiting(): void {
  const n = waiting1;
  const isDouble = waiting1IsDouble;
  waiting1 = waiting2;
  waiting1IsDouble = waiting2IsDouble;
  waiting2 = -1;
  // the envelope is smooth, so one sample every 12 ms is enough
  let sum: f64 = 0;
  let count: f64 = 0;
  let lowestBefore: f64 = Infinity;
  let lowestAfter: f64 = Infinity;
  for (let j = near; j <= scoring; j += slopeSamples) {
    const before = rootAt(n - j);
    const after = rootAt(n + j);
    sum += before + after;
    count += 2;
    if (before < lowestBefore) lowestBefore = before;
    if (after < lowestAfter) lowestAfter = after;
  }
  const height = rootAt(n);
  const score = max<f64>(0, height - (0.65 * sum) / count) * scale;
  const valley: f64 = height > 0 ? max<f64>(lowestBefore, lowestAfter) / height : 1;
  pushCandidate(n, score, valley, isDouble, centreAt(n) - DELAY_S * rateHz);
  if (isLearning) return;
  if (isBeat(candidates - 1)) {
    accept(candidates - 1);
  } else {
    rejectScore(score);
    isSearchDue = true;
  }
}

function isBeat(candidate: i32): bool {
  const sinceBeatS = ((placeOf(candidate) - lastBeat) as f64) / rateHz;
  let soonS: f64 = 0.9 * shortRrS;
  if (valleyOf(candidate) < 0.3 && noise < 0.1 * signal) soonS = min<f64>(soonS, 0.45);
  let share: f64 = 0.33;
  if (sinceBeatS < soonS) {
    share = sinceBeatS <= 0.2 ? 0.9 : 0.9 - (0.57 * (sinceBeatS - 0.2)) / (soonS - 0.2);
  }
  return scoreOf(candidate) > noise + share * (signal - noise);
}

function accept(candidate: i32): void {
  const n = placeOf(candidate);
  const score = scoreOf(candidate);
  const valley = valleyOf(candidate);
  acceptScore(score);
  addBeat(score, valley, isDoubleAt(candidate));
  let intervalS: f64 = isLinked ? ((n - lastBeat) as f64) / rateHz : 0;
  if (intervalS >= MAX_RR_S) intervalS = 0;
  if (intervalS > 0) {
    addRr(intervalS);
    addReadingRr(intervalS, (n as f64) / rateHz);
  }
  const qrs = qrsOf(candidate);
  const rrS: f64 = intervalS > 0 ? (qrs - lastQrs) / rateHz : 0;
  lastBeat = n;
  lastQrs = qrs;
  isLinked = true;
  if (lastValley() > 0.6) {
    onDoubtfulBeat();
    return;
  }
  const quality = max<f64>(0, 1 - max<f64>(valley, noise / signal));
  onBeat(qrs, rrS, quality);
}

// Classifies the candidates, starting with the given one.
function classifyFrom(candidate: i32): void {
  for (let i = candidate; i < candidates; i++) {
    if (isBeat(i)) accept(i);
  }
}

// Returns the sample count at which the search for a missing beat starts.
function searchTime(): i64 {
  return ceil<f64>((lastBeat as f64) + 1.6 * rrS * rateHz + (scoring as f64)) as i64;
}

function searchBack(): void {
  isSearchDue = false;
  let best: i32 = -1;
  for (let i = firstAfter(lastBeat); i < candidates; i++) {
    if (((placeOf(i) - lastBeat) as f64) < 0.3 * rateHz) continue;
    if (best < 0 || scoreOf(i) > scoreOf(best)) best = i;
  }
  if (best < 0) return;
  const level = 1.1 * noise;
  if (scoreOf(best) <= level + 0.14 * (signal - level)) return;
  accept(best);
  classifyFrom(best + 1);
}

// Returns the number of samples since a candidate was scored.
function ageOf(candidate: i32): i64 {
  return nextSample - 1 - (placeOf(candidate) + scoring);
}

function checkLevels(): void {
  let a: f64 = 0;
  let b: f64 = 0;
  let c: f64 = 0;
  for (let i = candidates - 1; i >= 0; i--) {
    const age = ageOf(i);
    const score = scoreOf(i);
    if (age < levelWindow) a = max<f64>(a, score);
    else if (age < 2 * levelWindow) b = max<f64>(b, score);
    else if (age < 3 * levelWindow) c = max<f64>(c, score);
    else break;
  }
  const low = min<f64>(a, min<f64>(b, c));
  const high = max<f64>(a, max<f64>(b, c));
  const middle = max<f64>(min<f64>(a, b), min<f64>(max<f64>(a, b), c));
  const silentSamples = (nextSample - max(lastBeat, start)) as i32;
  if (isLearning) {
    if (middle < MIN_SIGNAL) return;
    setLevel(middle);
    isLearning = false;
    classifyFrom(firstAfter(lastBeat));
  } else if (silentSamples >= 3 * levelWindow) {
    if (high > 3 * low || middle < MIN_SIGNAL) return;
    if (middle < 0.25 * signal && (silentSamples as f64) < LONG_SILENCE_S * rateHz) return;
    setLevel(middle);
    classifyFrom(firstAfter(lastBeat));
  } else if (low > 4 * signal) {
    setLevel(middle);
    clearRrs();
  }
}

function setLevel(level: f64): void {
  setSignal(level);
  for (let i = 0; i < candidates; i++) {
    if (ageOf(i) < 3 * levelWindow && scoreOf(i) < 0.4 * level) rejectScore(scoreOf(i));
  }
  clearReading();
  isLinked = false;
}

function endSecond(): void {
  const n = nextSample;
  nextSecond += rateHz as i64;
  refreshEnvelope(n);
  const bpm = isLearning ? 0 : readingAt((n as f64) / rateHz, (lastBeat as f64) / rateHz);
  onSecond(n, bpm);
}
