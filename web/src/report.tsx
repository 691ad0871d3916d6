import { fromBase64, unpackSamples } from "asi-convert/packed";
import { render } from "preact";
import "./styles.css";
import { SettingsMenu } from "./parts/settings-menu.js";
import { ThemeButton } from "./parts/theme-button.js";
import { LocalReader } from "./recording/local-reader.js";
import { prepare } from "./recording/prepare.js";
import { type ReportData, readReportData } from "./recording/report-data.js";
import { titleOf } from "./recording/timeline.js";
import { athleteOf, rememberedSettings } from "./view/settings.js";
import { Viewer } from "./viewer.js";

/** Shows a report in one file, which contains the viewer and the rows of a recording (docs/report-file.md). */
function start(): void {
  const settings = rememberedSettings();
  const data = readReportData(document.getElementById("asi-recording")?.textContent ?? null);
  if (typeof data === "string") {
    render(<p class="problem">{data}</p>, document.body);
    return;
  }
  const { max_hr = null, ...params } = data.metrics.params;
  settings.preset.value = data.metrics.preset;
  settings.params = (preset) => (preset === data.metrics.preset ? params : undefined);
  const samples = unpackSamples(fromBase64(data.samples));
  const { info, report, engine } = data.inspection;
  const { recording, rows } = prepare(0, [samples], {
    fileName: data.name,
    fileBytes: report.bytes.total,
    kind: "asi",
    info,
    report,
    engine,
    cutOff: null,
    notes: [],
  });
  athleteOf(recording).maxHeartRate.value = max_hr;
  const reader = new LocalReader(recording, rows, damageOf(data));
  document.title = `${titleOf(recording.facts)}, report`;
  render(
    <>
      <header>
        <h1 class="brand">{data.name}</h1>
        <span class="spacer" />
        <SettingsMenu settings={settings} />
        <ThemeButton settings={settings} />
      </header>
      <main>
        {rows.length === 0 ? (
          <p class="problem">
            The recording has no sample with a time and a position, so there is nothing to show.
          </p>
        ) : (
          <Viewer recording={recording} reader={reader} settings={settings} />
        )}
      </main>
    </>,
    document.body,
  );
}

function damageOf({ inspection: { report } }: ReportData) {
  const { firstDamage, damage } = report;
  const frames = damage.badChecksums + damage.overlong + damage.overruns;
  return { places: firstDamage === undefined ? [] : [firstDamage], hasMore: frames > 1 };
}

start();
