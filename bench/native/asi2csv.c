/*
 * asi2csv: converts a recording (.asi) to the standard CSV, in C, as fast as possible in a single thread without
 * techniques that the WebAssembly core could not use. It is the benchmark reference and not part of the package.
 *
 *   cc -O3 -march=native -o asi2csv asi2csv.c
 *   asi2csv FILE [OUT]        whole process: reads pieces of 256 KiB, writes OUT (default: standard output)
 *   asi2csv --bench N FILE    loads FILE, then converts it N times in memory; prints the times as JSON
 *   asi2csv --bench-copy N FILE    the same, but copies each piece into a separate buffer before it reads it,
 *                             as a decoder with its own memory must
 *
 * It follows docs/recording-format.md. It omits everything that its output does not need: the report of bytes and
 * damage, ranges, the file name, and linear time on hostile input (it computes a checksum for each false sync).
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__SSSE3__)
#include <immintrin.h>
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the loads below require a little-endian machine"
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum {
  PIECE = 256 * 1024,    /* the input and output of one call fit in the second-level cache */
  MAX_PAYLOAD = 8192,    /* a frame with a longer length is invalid */
  FRAME_EXTRA = 8,       /* sync, class, id, length, checksum */
  CARRY = MAX_PAYLOAD + FRAME_EXTRA,
  MAX_ROW = 96,          /* the longest line (72 bytes), and bytes that wide stores write beyond it */
  MIN_GNSS_FRAME = 84 + FRAME_EXTRA,
  OUTPUT = ((PIECE + CARRY) / MIN_GNSS_FRAME + 1) * MAX_ROW,
  WAITING = 16           /* heart-rate readings that wait for their row */
};

/* Sync, class, id and length of the 92-byte NAV-PVT in the low six bytes. */
#define NAV_PVT_92 UINT64_C(0x005c070162b5)
#define SIX_BYTES UINT64_C(0xffffffffffff)

static u16 load16(const u8 *p) { u16 v; memcpy(&v, p, 2); return v; }
static u32 load32(const u8 *p) { u32 v; memcpy(&v, p, 4); return v; }
static u64 load64(const u8 *p) { u64 v; memcpy(&v, p, 8); return v; }
static void store32(u8 *p, u32 v) { memcpy(p, &v, 4); }
static void store64(u8 *p, u64 v) { memcpy(p, &v, 8); }

/* "ddd," for 0 to 999: the comma is copied with the digits. */
static u32 padded[1000];
/* "d.", "dd." or "ddd." for 0 to 999, without leading zeros; its length follows from the number. */
static u32 whole[1000];
/* The end of a line: "\n", "d\n", "dd\n" or "ddd\n" for a heart rate of 0 (none) to 255. */
static u32 lineEnd[256];

static u32 lengthBelow1000(u32 v) { return 1 + (v > 9) + (v > 99); }

static void fillTables(void) {
  for (u32 v = 0; v < 1000; v++) {
    char text[8];
    snprintf(text, sizeof text, "%03u,", v);
    padded[v] = load32((const u8 *)text);
    memset(text, 0, sizeof text);
    snprintf(text, sizeof text, "%u.", v);
    whole[v] = load32((const u8 *)text);
  }
  for (u32 v = 0; v < 256; v++) {
    char text[8] = {0};
    if (v == 0) text[0] = '\n';
    else snprintf(text, sizeof text, "%u\n", v);
    lineEnd[v] = load32((const u8 *)text);
  }
}

/* Whole degrees and first decimal of the last coordinate. They change every 11 km; six digits remain. */
typedef struct {
  u32 low;      /* |coordinate| at which this tenth begins, 1e-7 degrees */
  u32 negative;
  u32 length;
  u64 prefix;   /* sign, degrees, point, first decimal */
} Degrees;

typedef struct {
  /* the cached second */
  u64 civil;          /* year to valid, as in the frame */
  int civilIsUsable;  /* 1: date and time exist and are valid */
  i64 civilSeconds;   /* since 1970 */
  i64 shownSeconds;   /* the second whose digits are cached: nano may move a fix to another second */
  u64 shownText[2];   /* its digits and the point */
  u32 shownLength;    /* 0 for a negative time, which the slow path writes */
  Degrees latitude, longitude;
  /* heart-rate readings waiting for a row, oldest first */
  u32 waiting;
  u64 readingMs[WAITING];
  u8 readingBpm[WAITING];
  /* the recording */
  int hasHeader;
  u8 serial[16];
  u64 rows;
  const char *error;
} State;

/* ---- checksum: 8-bit Fletcher (RFC 1145) over class to the end of the payload ---- */

/*
 * With columns k of 16-byte blocks i = 0 to B-1, ck_a is the sum of all x[i][k] and ck_b the sum of
 * (16 (B - i) - k) x[i][k]. `sum` holds the column sums, `sumOfSums` their running sums, that is the sum of
 * (B - i) x[i][k], so ck_b = 16 * sumOfSums - k * sum over all columns, everything modulo 256.
 * Returns ck_a in the low byte and ck_b in the next.
 */
#if defined(__SSSE3__)
static inline u32 fold(__m128i sum, __m128i sumOfSums) {
  const __m128i zero = _mm_setzero_si128();
  const __m128i minusColumn = _mm_setr_epi8(0, -1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12, -13, -14, -15);
  __m128i b = _mm_add_epi16(_mm_maddubs_epi16(sumOfSums, _mm_set1_epi8(16)), _mm_maddubs_epi16(sum, minusColumn));
  b = _mm_sad_epu8(_mm_and_si128(b, _mm_set1_epi16(0xff)), zero);
  __m128i both = _mm_or_si128(_mm_sad_epu8(sum, zero), _mm_slli_epi64(b, 32));
  both = _mm_add_epi32(both, _mm_unpackhi_epi64(both, both));
  u64 sums = (u64)_mm_cvtsi128_si64(both);
  return (u32)(sums & 0xff) | ((u32)(sums >> 24) & 0xff00);
}

static inline u32 checksum96(const u8 *p) {
  __m128i sum = _mm_loadu_si128((const __m128i *)p);
  __m128i sumOfSums = sum;
  for (int i = 1; i < 6; i++) {
    sum = _mm_add_epi8(sum, _mm_loadu_si128((const __m128i *)(p + 16 * i)));
    sumOfSums = _mm_add_epi8(sumOfSums, sum);
  }
  return fold(sum, sumOfSums);
}

static u32 checksum(const u8 *p, u32 length) {
  __m128i sum = _mm_setzero_si128();
  __m128i sumOfSums = sum;
  const u8 *end = p + length;
  for (; p + 16 <= end; p += 16) {
    sum = _mm_add_epi8(sum, _mm_loadu_si128((const __m128i *)p));
    sumOfSums = _mm_add_epi8(sumOfSums, sum);
  }
  u32 folded = fold(sum, sumOfSums), a = folded & 0xff, b = folded >> 8;
  for (; p < end; p++) b += a += *p;
  return (a & 0xff) | ((b & 0xff) << 8);
}
#else
static u32 checksum(const u8 *p, u32 length) {
  u32 a = 0, b = 0;
  for (u32 i = 0; i < length; i++) b += a += p[i];
  return (a & 0xff) | ((b & 0xff) << 8);
}
static inline u32 checksum96(const u8 *p) { return checksum(p, 96); }
#endif

/* ---- clock ---- */

/* Days from 1970-01-01 to a date of the proleptic Gregorian calendar (H. Hinnant, days_from_civil). */
static i64 daysFromCivil(i64 year, u32 month, u32 day) {
  year -= month <= 2;
  i64 era = (year >= 0 ? year : year - 399) / 400;
  u32 yearOfEra = (u32)(year - era * 400);
  u32 dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  u32 dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
  return era * 146097 + (i64)dayOfEra - 719468;
}

static __attribute__((noinline)) void readCivil(State *s, u64 civil) {
  static const u8 days[13] = {0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  u32 year = civil & 0xffff, month = (civil >> 16) & 0xff, day = (civil >> 24) & 0xff;
  u32 hour = (civil >> 32) & 0xff, minute = (civil >> 40) & 0xff, second = (civil >> 48) & 0xff;
  u32 valid = civil >> 56;
  s->civil = civil;
  s->civilIsUsable = 0;
  if ((valid & 3) != 3 || year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return;
  u32 leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  if (day > days[month] + leap || hour > 23 || minute > 59 || second > 59) return;
  s->civilSeconds = daysFromCivil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  s->civilIsUsable = 1;
}

static __attribute__((noinline)) void showSeconds(State *s, i64 seconds) {
  char text[24] = {0};
  s->shownSeconds = seconds;
  s->shownLength = 0;
  if (seconds < 0) return;
  if (seconds >= 1000000000 && seconds < 10000000000) {
    /* the years 2001 to 2286: always ten digits */
    u32 billions = (u32)(seconds / 1000000000), rest = (u32)(seconds % 1000000000);
    text[0] = (char)('0' + billions);
    store32((u8 *)text + 1, padded[rest / 1000000]);
    store32((u8 *)text + 4, padded[rest / 1000 % 1000]);
    store32((u8 *)text + 7, padded[rest % 1000]);
    text[10] = '.';
    s->shownLength = 11;
    memcpy(s->shownText, text, 16);
    return;
  }
  s->shownLength = (u32)snprintf(text, sizeof text, "%lld.", (long long)seconds);
  memcpy(s->shownText, text, 16);
}

/* ---- digits ---- */

static __attribute__((noinline)) void showDegrees(Degrees *d, u32 magnitude, u32 negative) {
  char text[16] = {0};
  u32 tenths = magnitude / 1000000;
  d->low = tenths * 1000000;
  d->negative = negative;
  d->length = (u32)snprintf(text, sizeof text, "%s%u.%u", negative ? "-" : "", tenths / 10, tenths % 10);
  memcpy(&d->prefix, text, 8);
}

/* "[-]degrees.ddddddd," */
static inline u8 *putDegrees(u8 *o, Degrees *d, i32 e7) {
  u32 negative = (u32)e7 >> 31;
  u32 magnitude = e7 < 0 ? 0u - (u32)e7 : (u32)e7;
  if (UNLIKELY(magnitude - d->low >= 1000000 || negative != d->negative)) showDegrees(d, magnitude, negative);
  u32 fraction = magnitude - d->low;
  store64(o, d->prefix);
  o += d->length;
  u32 high = fraction / 1000;
  store32(o, padded[high]);
  store32(o + 3, padded[fraction - high * 1000]);
  return o + 7;
}

static __attribute__((noinline)) u8 *putManyMetres(u8 *o, u32 metres) {
  return o + snprintf((char *)o, 16, "%u.", metres);
}

/* "[-]metres.ddd," */
static inline u8 *putMillimetres(u8 *o, i32 mm) {
  u32 magnitude = mm < 0 ? 0u - (u32)mm : (u32)mm;
  *o = '-';
  o += (u32)mm >> 31;
  u32 metres = magnitude / 1000;
  if (LIKELY(metres < 1000)) {
    store32(o, whole[metres]);
    o += lengthBelow1000(metres) + 1;
  } else {
    o = putManyMetres(o, metres);
  }
  store32(o, padded[magnitude - metres * 1000]);
  return o + 4;
}

static void reset(State *s) {
  memset(s, 0, sizeof *s);
  s->shownSeconds = INT64_MIN;
  showDegrees(&s->latitude, 0, 0);
  showDegrees(&s->longitude, 0, 0);
}

/* ---- rows ---- */

/* The reading of a row is the latest one that is not later than the row, if it is less than a second old. Removes all readings that are not later than the row. */
static __attribute__((noinline)) u32 takeReading(State *s, i64 timestampMs) {
  if (timestampMs < 0) return 0;
  u64 now = (u64)timestampMs, latest = 0;
  u32 bpm = 0, kept = 0;
  for (u32 i = 0; i < s->waiting; i++) {
    u64 at = s->readingMs[i];
    if (at > now) {
      s->readingMs[kept] = at;
      s->readingBpm[kept++] = s->readingBpm[i];
    } else if (bpm == 0 || at >= latest) {
      latest = at;
      bpm = s->readingBpm[i];
    }
  }
  s->waiting = kept;
  return bpm != 0 && now - latest < 1000 ? bpm : 0;
}

static __attribute__((noinline)) void addReading(State *s, u64 ms, u8 bpm) {
  if (s->waiting == WAITING) {
    memmove(s->readingMs, s->readingMs + 1, (WAITING - 1) * sizeof *s->readingMs);
    memmove(s->readingBpm, s->readingBpm + 1, WAITING - 1);
    s->waiting--;
  }
  s->readingMs[s->waiting] = ms;
  s->readingBpm[s->waiting++] = bpm;
}

/* Writes the row of a NAV-PVT payload if it has one. */
static inline u8 *putRow(State *s, const u8 *payload, u8 *o) {
  u64 civil = load64(payload + 4);
  if (UNLIKELY(civil != s->civil)) readCivil(s, civil);
  u32 fixType = payload[20];
  i32 longitude = (i32)load32(payload + 24), latitude = (i32)load32(payload + 28);
  if (UNLIKELY(!s->civilIsUsable || !(payload[21] & 1) || fixType - 2 > 2)) return o;
  if (UNLIKELY((u32)latitude + 900000000u > 1800000000u || (u32)longitude + 1800000000u > 3600000000u)) return o;

  i64 seconds = s->civilSeconds;
  u32 roundedNano = load32(payload + 16) + 500000u;
  u32 ms;
  if (LIKELY(roundedNano < 1000000000u)) {
    ms = roundedNano / 1000000u;
  } else {
    /* adding 3 s makes every int32 positive, so that the division rounds down; the 3 s are subtracted afterwards */
    u64 liftedMs = (u64)((i64)(i32)load32(payload + 16) + INT64_C(3000500000)) / 1000000u;
    seconds += (i64)(liftedMs / 1000) - 3;
    ms = (u32)(liftedMs % 1000);
  }
  i64 timestampMs = seconds * 1000 + ms;
  if (UNLIKELY(seconds != s->shownSeconds)) showSeconds(s, seconds);
  if (LIKELY(s->shownLength != 0)) {
    store64(o, s->shownText[0]);
    store64(o + 8, s->shownText[1]);
    o += s->shownLength;
    store32(o, padded[ms]);
    o += 4;
  } else {
    i64 magnitude = -timestampMs;
    o += snprintf((char *)o, 32, "-%lld.%03d,", (long long)(magnitude / 1000), (int)(magnitude % 1000));
  }
  o = putDegrees(o, &s->latitude, latitude);
  o = putDegrees(o, &s->longitude, longitude);
  if (LIKELY(fixType != 2)) o = putMillimetres(o, (i32)load32(payload + 36));
  else *o++ = ',';
  o = putMillimetres(o, (i32)load32(payload + 60));
  u32 bpm = s->waiting == 0 ? 0 : takeReading(s, timestampMs);
  store32(o, lineEnd[bpm]);
  o += 1 + (bpm > 0) + (bpm > 9) + (bpm > 99);
  s->rows++;
  return o;
}

/* ---- frames ---- */

static void readHeader(State *s, const u8 *payload, u32 length) {
  if (length != 64) s->error = "BAD_HEADER";
  else if (payload[0] != 1) s->error = "UNSUPPORTED_VERSION";
  else if (s->hasHeader && memcmp(s->serial, payload + 4, 16) != 0) s->error = "MIXED_DEVICES";
  else memcpy(s->serial, payload + 4, 16);
  s->hasHeader = 1;
}

/* Handles any valid frame except the 92-byte NAV-PVT. */
static __attribute__((noinline)) u8 *readFrame(State *s, const u8 *frame, u32 length, u8 *o) {
  u32 kind = load16(frame + 2);
  const u8 *payload = frame + 6;
  if (kind == 0x00a5) {
    readHeader(s, payload, length);
  } else if (!s->hasHeader) {
    s->error = "NOT_A_RECORDING";
  } else if (kind == 0x0701 && length >= 84) {
    return putRow(s, payload, o);
  } else if (kind == 0x01a5 && length >= 12 && length == 12u + 2 * payload[10] && payload[8] != 0) {
    addReading(s, load64(payload), payload[8]);
  }
  return o;
}

/*
 * Reads frames from [in, end) and writes their rows at *out. Returns where it stopped: at an incomplete
 * frame, or at the end. `final` means that no more input follows, so a frame that extends past the end is invalid.
 */
static __attribute__((noinline)) const u8 *convert(State *s, const u8 *in, const u8 *end, int final, u8 **out) {
  const u8 *p = in;
  u8 *o = *out;
  while (end - p >= FRAME_EXTRA) {
    u64 head = load64(p);
    if (LIKELY((head & SIX_BYTES) == NAV_PVT_92 && end - p >= 100)) {
      if (LIKELY(checksum96(p + 2) == load16(p + 98))) {
        if (UNLIKELY(!s->hasHeader)) {
          s->error = "NOT_A_RECORDING";
          break;
        }
        o = putRow(s, p + 6, o);
        p += 100;
        continue;
      }
    } else if ((head & 0xffff) == 0x62b5) {
      u32 length = (head >> 32) & 0xffff;
      if (length <= MAX_PAYLOAD) {
        if ((u64)(end - p) < (u64)length + FRAME_EXTRA) {
          if (!final) break;
        } else if (checksum(p + 2, length + 4) == load16(p + 6 + length)) {
          o = readFrame(s, p, length, o);
          if (UNLIKELY(s->error != NULL)) break;
          p += length + FRAME_EXTRA;
          continue;
        }
      }
    }
    /* not a frame: the search continues at the next byte */
    const u8 *sync = memchr(p + 1, 0xb5, (size_t)(end - p - 1));
    p = sync == NULL ? end : sync;
  }
  *out = o;
  return p;
}

/* ---- the two modes ---- */

static const char HEADER[] = "timestamp,latitude,longitude,altitude,speed,hr\n";
static State state;
static u8 input[CARRY + PIECE + 64];
static u8 output[OUTPUT + sizeof HEADER];

static int fail(const char *what) {
  fprintf(stderr, "asi2csv: %s\n", what);
  return 1;
}

static int writeAll(int fd, const u8 *p, size_t n) {
  while (n > 0) {
    ssize_t written = write(fd, p, n);
    if (written < 0) return 0;
    p += written;
    n -= (size_t)written;
  }
  return 1;
}

static int convertFile(const char *inPath, const char *outPath) {
  int in = open(inPath, O_RDONLY);
  if (in < 0) return fail("cannot open the recording");
  int out = outPath == NULL ? 1 : open(outPath, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (out < 0) return fail("cannot open the output");
  reset(&state);
  memcpy(output, HEADER, sizeof HEADER - 1);
  u8 *o = output + sizeof HEADER - 1;
  size_t held = 0;
  for (;;) {
    ssize_t got = read(in, input + held, PIECE);
    if (got < 0) return fail("cannot read the recording");
    const u8 *end = input + held + got;
    const u8 *rest = convert(&state, input, end, got == 0, &o);
    if (state.error != NULL) return fail(state.error);
    if (!writeAll(out, output, (size_t)(o - output))) return fail("cannot write the CSV");
    o = output;
    if (got == 0) break;
    held = (size_t)(end - rest);
    memmove(input, rest, held);
  }
  if (close(out) != 0) return fail("cannot write the CSV");
  return state.rows == 0 ? fail(state.hasHeader ? "NO_SAMPLES" : "NOT_A_RECORDING") : 0;
}

static u64 nowNs(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

/* With `copies`, it reads from a separate buffer instead of the file in memory. */
static int bench(int runs, int copies, const char *path) {
  int in = open(path, O_RDONLY);
  off_t size = in < 0 ? -1 : lseek(in, 0, SEEK_END);
  u8 *bytes = size < 0 ? NULL : malloc((size_t)size + 64);
  if (bytes == NULL || lseek(in, 0, SEEK_SET) != 0) return fail("cannot load the recording");
  for (off_t have = 0; have < size;) {
    ssize_t got = read(in, bytes + have, (size_t)(size - have));
    if (got <= 0) return fail("cannot read the recording");
    have += got;
  }
  u64 csvBytes = 0;
  printf("{\"ns\":[");
  for (int run = 0; run < runs; run++) {
    u64 started = nowNs();
    csvBytes = sizeof HEADER - 1;
    reset(&state);
    const u8 *p = bytes, *end = bytes + size;
    for (;;) {
      const u8 *stop = end - p > PIECE ? p + PIECE : end;
      u8 *o = output;
      if (copies) {
        memcpy(input, p, (size_t)(stop - p));
        p += convert(&state, input, input + (stop - p), stop == end, &o) - input;
      } else {
        p = convert(&state, p, stop, stop == end, &o);
      }
      if (state.error != NULL) return fail(state.error);
      csvBytes += (u64)(o - output);
      /* makes the compiler assume that all of the output is read */
      __asm__ volatile("" : : "r"(output) : "memory");
      if (stop == end) break;
    }
    printf("%s%llu", run ? "," : "", (unsigned long long)(nowNs() - started));
  }
  printf("],\"bytes\":%lld,\"csvBytes\":%llu,\"rows\":%llu}\n", (long long)size,
         (unsigned long long)csvBytes, (unsigned long long)state.rows);
  return 0;
}

int main(int argc, char **argv) {
  fillTables();
  if (argc == 4 && strcmp(argv[1], "--bench") == 0) return bench(atoi(argv[2]), 0, argv[3]);
  if (argc == 4 && strcmp(argv[1], "--bench-copy") == 0) return bench(atoi(argv[2]), 1, argv[3]);
  if (argc == 2 || argc == 3) return convertFile(argv[1], argc == 3 ? argv[2] : NULL);
  fprintf(stderr, "usage: asi2csv FILE [OUT] | asi2csv --bench N FILE | asi2csv --bench-copy N FILE\n");
  return 2;
}
