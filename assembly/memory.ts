// The memory layout. All memory is static, so views in the host stay valid.

/** The maximum payload of a frame; a frame with a greater length is invalid (docs/recording-format.md, "Frames"). */
export const MAX_PAYLOAD: i32 = 8192;
/** Sync (2), class, id, length (2), checksum (2). */
export const FRAME_OVERHEAD: i32 = 8;
/** The minimum payload of NAV-PVT, from u-blox 7. */
export const MIN_GNSS_PAYLOAD: i32 = 84;

/** Space for the input of one step, after at most one incomplete frame of the previous step. */
export const INPUT_CAPACITY: i32 = 0x40000 + 0x4000;
// A checksum reads up to 16 bytes before its span; a sync search reads up to 16 bytes after the input.
const INPUT_MARGIN: i32 = 32;
export const INPUT: usize = memory.data(INPUT_CAPACITY + 2 * INPUT_MARGIN, 16) + INPUT_MARGIN;
export const INPUT_END: usize = INPUT + INPUT_CAPACITY;

/** Prefix sums of the Fletcher checksum, a and b, each one byte for each byte of input (and one more). */
export const PREFIX_A: usize = memory.data(INPUT_CAPACITY + 16, 16);
export const PREFIX_B: usize = memory.data(INPUT_CAPACITY + 16, 16);

/** Maximum number of rows of a step; a multiple of 16, so that columns are aligned. */
export const ROW_CAPACITY: i32 = (INPUT_CAPACITY / (MIN_GNSS_PAYLOAD + FRAME_OVERHEAD) + 16) & -16;

// A row takes at most 71 bytes as CSV and a frame at least 92, so the output of a step is never longer than its input;
// the margin is for stores that overlap.
export const OUTPUT_CAPACITY: i32 = INPUT_CAPACITY;
// A row template writes the end of a row at the start of the next one (template.ts), and therefore also before the first row.
const TAIL_CAPACITY: i32 = 128;
export const OUTPUT: usize = memory.data(TAIL_CAPACITY + OUTPUT_CAPACITY + 64, 16) + TAIL_CAPACITY;

/** Rows of the step, column by column: f64, four i32, two u8; then, in the same layout, rows from the host. */
export const COLUMNS: usize = memory.data(26 * ROW_CAPACITY, 16);
export const GIVEN_COLUMNS: usize = memory.data(26 * ROW_CAPACITY, 16);

// Offsets of the columns.
export const TIMESTAMPS = 0;
export const LATITUDES = 8 * ROW_CAPACITY;
export const LONGITUDES = 12 * ROW_CAPACITY;
export const ALTITUDES = 16 * ROW_CAPACITY;
export const SPEEDS = 20 * ROW_CAPACITY;
export const HEART_RATES = 24 * ROW_CAPACITY;
export const FIX_TYPES = 25 * ROW_CAPACITY;

/** Quality of the rows of the step, column by column: speed accuracy u32, dilution of precision u16, satellites u8. */
export const QUALITY: usize = memory.data(7 * ROW_CAPACITY, 16);
export const PDOPS = 4 * ROW_CAPACITY;
export const SATELLITES = 6 * ROW_CAPACITY;

/** Ranges that ended in this step: start, stop, rows, each as f64. */
export const CLOSED_RANGES: usize = memory.data(24 * ROW_CAPACITY, 16);
/**
 * Rows of this step that start the output of another range: the offset in the output, or the index in the columns, and the
 * earliest and latest produced row of the previous range (NaN for the first range), each as f64.
 */
export const RANGE_BREAKS: usize = memory.data(24 * ROW_CAPACITY, 16);

/** Program of a row template (template.ts), and its maximum length in bytes. */
export const PROGRAM_CAPACITY: i32 = 4096;
export const PROGRAM: usize = memory.data(PROGRAM_CAPACITY + 32, 16);

/** See `counters` in index.ts. */
export const COUNTERS: usize = memory.data(8 * 48, 16);
