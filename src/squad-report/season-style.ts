/** The style of the season report. It is always light, because the report is printed. */
export const SEASON_STYLE = `
*{box-sizing:border-box}[hidden]{display:none!important}
body{margin:0 auto;max-width:1440px;padding:20px;background:#f4f6fa;color:#0f172a;font:14px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums;print-color-adjust:exact;-webkit-print-color-adjust:exact}
h1{font-size:20px;margin:0}small{color:#5b6475;font-weight:400}h1 small{font-size:15px;margin-left:6px}p{margin:6px 0}
.controls{display:flex;flex-wrap:wrap;gap:8px 20px;align-items:center}select,button{font:inherit;color:inherit;background:#fff;border:1px solid #7b8798;border-radius:6px;padding:3px 10px;min-height:28px}
.views{display:inline-flex;gap:4px}
button[aria-pressed=true]{background:#d6e4f8;font-weight:600}:focus-visible{outline:2px solid #2f6fd0;outline-offset:1px}
.key{display:flex;flex-wrap:wrap;gap:4px 18px;font-size:12px;color:#475569}.key i{display:inline-block;width:9px;height:9px;border-radius:9px;margin-right:5px}
.key .k-band{width:22px;border-radius:2px;background:#d6e4f8}.k-now{background:#1d5fc4}.k-out{background:#f97316}.key .k-match{width:6px;height:6px;background:#475569}.key .k-training{width:7px;height:7px;border:1px solid #64748b}
.panels{display:grid;grid-template-columns:repeat(5,minmax(0,1fr));gap:8px}
.panel{background:#fff;border:1px solid #dfe5ee;border-radius:8px;padding:6px 10px 2px;break-inside:avoid}.panel.outside{border-color:#64748b}
.panel h2{font-size:14px;margin:0;display:flex;gap:6px;align-items:baseline;white-space:nowrap;overflow:hidden}.panel h2 b{margin-left:auto;font-size:15px}.panel h2 span{font-size:12px;font-weight:400;color:#5b6475;min-width:58px;text-align:right}.panel.outside h2 span{font-weight:600;color:#0f172a}
svg{display:block;width:100%;height:auto}svg text{font-size:9px;fill:#5b6475}
.grid,.mean,.line,.none{stroke:#64748b;fill:none}.grid{stroke:#e8ecf2}.band{fill:#d6e4f8}.mean{stroke:#7ba3dd}.line{stroke-width:.8}
.match{fill:#475569}.training{fill:#fff;stroke:#64748b;stroke-width:.9}.now{fill:#1d5fc4;stroke:#fff}.now.out{fill:#f97316}
.loads h2{font-size:15px;margin:18px 0 6px}.loads svg{width:210px;height:28px}.loads .days{width:226px;padding:1px 8px;text-align:left}.day{stroke:#64748b;stroke-width:3;fill:none}
.frame{overflow-x:auto;background:#fff;border:1px solid #dfe5ee;border-radius:8px;padding:6px 10px}
table{border-collapse:collapse;width:100%}caption{text-align:left;font-weight:600;padding:4px 6px}th,td{padding:3px 8px;border-bottom:1px solid #e8ecf2;text-align:right;white-space:nowrap}th:first-child{text-align:left}tbody th{font-weight:400}thead th{font-size:12px;color:#475569}
@media(max-width:1150px){.panels{grid-template-columns:repeat(3,minmax(0,1fr))}}
@media(max-width:700px){body{padding:10px}.panels{grid-template-columns:1fr}}
@page{size:A4;margin:10mm}
.figure-part::before{content:attr(data-name);display:none;font-weight:600;font-size:13px}
@media print{.figure-part::before{display:block}.figure-part caption{display:none}body{padding:0;background:#fff;font-size:10px;max-width:none}.controls{display:none}.panels{grid-template-columns:repeat(4,minmax(0,1fr));gap:5px}.panel{padding:3px 6px 0}.panel h2{font-size:10px;gap:3px}.panel h2 b{font-size:11px}.panel h2 span{font-size:9px;min-width:40px}.key{font-size:9px}.frame{overflow:visible;border:0;padding:0}thead th{white-space:normal}}
`;

/** Shows one figure, as panels or as a table, in one of two orders. */
export const SEASON_SCRIPT = `
const figure = document.getElementById("figure");
const order = document.getElementById("order");
const buttons = [...document.querySelectorAll("[data-view]")];
function show() {
  for (const part of document.querySelectorAll(".figure-part")) {
    part.hidden = part.id !== figure.value;
    for (const [at, view] of [...part.children].entries()) view.hidden = buttons[at].ariaPressed !== "true";
  }
}
function sort() {
  for (const parent of document.querySelectorAll(".panels, .figure-part tbody")) {
    parent.farthestFirst ??= [...parent.children];
    const byNumber = (a, b) => a.dataset.number - b.dataset.number;
    parent.append(...(order.value === "far" ? parent.farthestFirst : [...parent.farthestFirst].sort(byNumber)));
  }
}
figure.onchange = show;
order.onchange = sort;
for (const button of buttons)
  button.onclick = () => {
    for (const other of buttons) other.ariaPressed = other === button;
    show();
  };
`;
