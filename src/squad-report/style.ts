/** The style of the report. It is always light, because the report is printed. */
export const STYLE = `
*{box-sizing:border-box}
body{margin:0 auto;max-width:1180px;padding:24px;background:#fff;color:#0f172a;font:14px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;print-color-adjust:exact;-webkit-print-color-adjust:exact}
h1{font-size:24px;margin:0 0 2px}h2{font-size:20px;margin:0 0 6px}h3,#squad h2,.period h2{font-size:14px;margin:10px 0 4px}
small{color:#5b6475;font-weight:400;font-size:min(11px,.85em)}p{margin:4px 0}
a{color:inherit;text-decoration:none}a:hover,a:focus-visible{text-decoration:underline}
.frame{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th{text-align:left;font-weight:600}td,tbody th,tfoot th{border-bottom:1px solid #e5e7eb;padding:2px 6px;font-weight:400;white-space:nowrap}
thead th{padding:2px 6px;vertical-align:bottom;white-space:nowrap}.named{white-space:normal}thead small{display:block}
.figure{text-align:right}td.figure{background:linear-gradient(#d9e5f7,#d9e5f7) no-repeat 4px center/calc(var(--share,0)*(100% - 8px)) 78%}
th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid #2f6fd0}
th[aria-sort=descending] button::after{content:" \\25BE"}th[aria-sort=ascending] button::after{content:" \\25B4"}
tr.mean>*{background:#f1f4f9;font-weight:600}.number{display:inline-block;min-width:22px;text-align:right;color:#5b6475}
.mark{border:1px solid #d9731a;color:#9a4b08;border-radius:3px;padding:0 4px;font-size:min(10px,.9em)}
.paper-only{display:none}.wide{width:26%}.strip{display:block;width:100%;height:16px}
.clock{position:relative;height:1.4em}.clock span{position:absolute;transform:translateX(-50%)}.legend{width:126px;height:8px;vertical-align:baseline}
.six{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:4px 24px}
figure{margin:0}figcaption{font-weight:600}.dots svg,.plot{width:100%;height:auto;display:block}
svg text{font-size:9px;fill:#5b6475}.dots text{text-anchor:middle;fill:#0f172a;font-size:7.5px}
.dots circle{fill:#fff;stroke:#2f6fd0}.dots circle.whole{fill:#c6d9f3}.grid{stroke:#e5e7eb;fill:none}
.shade{fill:#f1f5fb}.area{fill:#a9c7ec}.line{fill:none;stroke:#2f6fd0;stroke-width:1}.sprint{stroke:#f97316;stroke-dasharray:4 3;fill:none}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(112px,1fr));gap:6px;margin:8px 0}.cards div{border:1px solid #e5e7eb;border-radius:6px;padding:4px 8px}
.cards dt{font-size:11px;color:#5b6475}.cards dd{margin:0;font-size:17px;font-weight:600}
.quality,.note{border:1px solid #e5e7eb;border-radius:6px;padding:4px 8px}
.side{display:grid;grid-template-columns:1fr 1fr;gap:20px;align-items:start}.side>*{min-width:0}.heat{width:100%;height:auto;background:#f5f7fa;border:1px solid #5aa17f}
.sprints{columns:2;column-gap:16px;list-style:none;margin:0;padding:0;font-size:12px}.sprints li{display:flex;justify-content:space-between;border-bottom:1px solid #eef0f3}
.player-page{border-top:2px solid #0f172a;margin-top:32px;padding-top:16px}
@media(max-width:700px){.sprints{columns:1}.six{grid-template-columns:1fr}.side{grid-template-columns:1fr}body{padding:12px}.wide,.strip-legend{display:none}}
@page{size:A4;margin:12mm}
@media print{body{padding:0;max-width:none;font-size:10px}h1{font-size:19px}h2{font-size:17px}.frame{overflow:visible}.back{display:none}
.squad td,.squad th{padding:1px 3px}.squad tbody th,.squad tfoot th,th.wide{white-space:normal}.period .squad td,.period .squad th{padding:0 4px;font-size:9px}.strip{height:11px}.six{grid-template-columns:1fr 1fr}.cards{grid-template-columns:repeat(5,1fr)}.cards dd{font-size:14px}
.paper-only{display:block}.screen-only,tr.absent{display:none}
thead{display:table-header-group}tr,figure,.note{break-inside:avoid}.period{break-inside:avoid}
.player-page{break-before:page;break-inside:avoid;border:0;margin:0;padding:0}.sprints{columns:3;column-gap:12px;font-size:8px;line-height:1.3}.side{grid-template-columns:1fr 1fr}.side.by-speed{grid-template-columns:1fr 2fr}.periods td,.periods th{padding:1px 6px}.heat{max-height:44mm}}
`;

/** Sorts the tables of the squad by a clicked column: descending, ascending, then by position again. */
export const SCRIPT = `
for (const table of document.querySelectorAll("table.squad")) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  table.tHead.addEventListener("click", (event) => {
    const head = event.target.closest("th");
    if (head === null || event.target.closest("button") === null) return;
    const next = { descending: "ascending", ascending: null }[head.getAttribute("aria-sort")];
    const order = next === undefined ? "descending" : next;
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    if (order === null) return body.replaceChildren(...original);
    head.setAttribute("aria-sort", order);
    const at = head.cellIndex;
    const value = (row) => row.cells[at].dataset.value ?? "";
    const sign = order === "descending" ? -1 : 1;
    const compare = (a, b) => {
      if ((value(a) === "") !== (value(b) === "")) return value(a) === "" ? 1 : -1;
      return sign * (at === 0 ? value(b).localeCompare(value(a)) : value(a) - value(b));
    };
    body.replaceChildren(...original.filter((row) => row.classList.contains("player")).sort(compare));
  });
}
`;
