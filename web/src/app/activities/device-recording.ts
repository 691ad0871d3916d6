import type { Client } from "asi-client";
import { useEffect, useState } from "preact/hooks";
import type { DeviceRange } from "../../recording/device-range.js";
import type { RecordingService } from "../../recording/messages.js";
import type { Recording } from "../../recording/recording.js";
import { afterSigningIn } from "../parts/after-signing-in.js";
import { useReturn } from "../parts/request.js";

interface DeviceRecording {
  /** The recording, or null while the range is loading. */
  recording: Recording | null;
  /** The loaded share, 0 to 1. */
  share: number;
  error: unknown;
  retry: () => void;
}

const NOTHING_YET = { recording: null, share: 0, error: null };

/** Loads a range of a device as a recording of the worker, and closes it when no view uses it. */
export function useDeviceRecording(
  client: Client,
  reader: RecordingService,
  range: DeviceRange,
): DeviceRecording {
  const [state, setState] = useState<Omit<DeviceRecording, "retry">>(NOTHING_YET);
  const [attempt, setAttempt] = useState(0);
  const returned = useReturn(state.error);
  const { device, startMs, stopMs } = range;

  // a second attempt sends the same request again
  useEffect(() => {
    const abort = new AbortController();
    const update = (change: Partial<DeviceRecording>) => {
      if (!abort.signal.aborted) setState((before) => ({ ...before, ...change }));
    };
    let opened: Recording | null = null;
    setState(NOTHING_YET);
    const onProgress = (samples: number) => update({ share: Math.min(1, samples / Math.max(1, range.size)) });
    const hooks = { onProgress, signal: abort.signal };
    afterSigningIn(client, () => reader.ask("fetchRange", { range, origin: null }, hooks)).then(
      (recording) => {
        // the view may have closed while the range was loading
        if (abort.signal.aborted) reader.ask("close", { id: recording.id });
        opened = recording;
        update({ recording });
      },
      (error: unknown) => update({ error }),
    );
    return () => {
      abort.abort();
      if (opened !== null) reader.ask("close", { id: opened.id });
    };
  }, [client, reader, device.id, startMs, stopMs, attempt, returned]);

  return { ...state, retry: () => setAttempt((before) => before + 1) };
}
