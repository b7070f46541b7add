#include "daemon/web/page.hpp"

namespace spark {

std::string_view style_css() {
  return R"css(:root {
  color-scheme: light dark;
  --page: #f6f7f8; --card: #fff; --text: #1b1f24; --quiet: #5b6570; --rule: #dfe3e8;
  --good: #1a7340; --good-back: #e7f5ec; --warn: #8a5300; --warn-back: #fdf3e0;
  --bad: #b3261e; --bad-back: #fdecea; --off: #6b7580; --link: #0b5cad;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #111418; --card: #191d22; --text: #e4e8ec; --quiet: #9aa5b1; --rule: #2d343c;
    --good: #5fcb8b; --good-back: #16291e; --warn: #e8b455; --warn-back: #2d2413;
    --bad: #ff8a80; --bad-back: #341b1a; --off: #8a949e; --link: #7db8f5;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 1120px; padding: 24px 20px 40px; background: var(--page);
  color: var(--text); overflow-wrap: break-word; font: 14px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
}
h1, h2, p, dl, dd, figure { margin: 0; }
h1 { font-size: 24px; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { font-size: 15px; margin-bottom: 10px; }
a { color: var(--link); text-underline-offset: 2px; }
code, pre, .mono { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
code, .mono { overflow-wrap: anywhere; }
.quiet { color: var(--quiet); fill: var(--quiet); }
.good { color: var(--good); fill: var(--good); stroke: var(--good); }
.warn { color: var(--warn); fill: var(--warn); stroke: var(--warn); }
.bad { color: var(--bad); fill: var(--bad); stroke: var(--bad); }
.off { color: var(--off); fill: var(--off); stroke: var(--off); }
.top { display: flex; justify-content: space-between; align-items: end; gap: 16px; margin-bottom: 16px; }
.top > div { min-width: 0; }
.top .at { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 16px 18px; margin-bottom: 14px; }
.verdict { display: flex; gap: 14px; align-items: center; border-left: 5px solid currentColor; }
.verdict.good { background: var(--good-back); }
.verdict.warn { background: var(--warn-back); }
.verdict.bad { background: var(--bad-back); }
.verdict .sign {
  flex: none; width: 38px; height: 38px; border-radius: 50%; border: 2px solid currentColor;
  display: grid; place-items: center; font-size: 20px; line-height: 1;
}
.verdict h2 { font-size: 20px; line-height: 1.25; margin: 0; }
.verdict p { color: var(--text); overflow-wrap: anywhere; }
.verdict .since { margin-left: auto; text-align: right; white-space: nowrap; color: var(--quiet); }
.notice { border-left: 5px solid currentColor; }
.notice h2 { margin: 0 0 2px; }
.notice p, .notice pre, .notice li { color: var(--text); overflow-wrap: anywhere; }
.notice ul { margin: 4px 0 0; padding-left: 18px; }
pre { margin: 8px 0 0; padding: 10px 12px; overflow-x: auto; background: var(--page); border-radius: 6px; }
.figures { display: grid; grid-template-columns: repeat(5, 1fr); gap: 1px; padding: 0; overflow: hidden; background: var(--rule); }
.figures div { background: var(--card); padding: 12px 18px; }
.figures dt { color: var(--quiet); font-size: 12.5px; }
.figures dd { font-size: 20px; line-height: 1.3; font-variant-numeric: tabular-nums; }
.figures small { display: block; font-size: 12px; color: var(--quiet); }
.cages { display: grid; grid-template-columns: 1fr 1fr; gap: 20px 28px; }
.cage svg { display: block; overflow: visible; }
svg text { font-size: 12px; fill: var(--text); }
svg text[class] { stroke: none; }
svg text.title { font-size: 13px; font-weight: 600; }
svg text.name { font: 600 12.5px ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
svg text.quiet { fill: var(--quiet); }
svg text.good { fill: var(--good); }
svg text.warn { fill: var(--warn); }
svg text.bad { fill: var(--bad); }
svg text.off { fill: var(--off); }
svg text.label, svg text.middle { text-anchor: middle; }
svg text.label { font-size: 11px; }
svg .box { fill: var(--page); stroke: var(--rule); }
svg .box.switch { stroke: var(--off); }
svg .rule { stroke: var(--rule); }
svg .wire { stroke-width: 2; }
svg .cable { stroke-width: 4; stroke-linecap: round; }
svg .wire.bad, svg .cable.bad, svg .wire.off, svg .cable.off { stroke-dasharray: 3 5; }
svg .port { stroke-width: 2; }
svg .port.bad, svg .port.off { fill: var(--card); }
table { width: 100%; border-collapse: collapse; }
th { text-align: left; font-weight: 500; font-size: 12.5px; color: var(--quiet); padding: 0 14px 6px 0; }
td { padding: 7px 14px 7px 0; border-top: 1px solid var(--rule); vertical-align: top; overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; }
td small { display: block; font-size: 12.5px; color: var(--quiet); }
td > div { min-width: 60px; }
table + table { margin-top: 18px; }
time { white-space: nowrap; font-variant-numeric: tabular-nums; }
.tag { display: inline-block; padding: 0 8px; border-radius: 9px; border: 1px solid currentColor; font-size: 12px; line-height: 18px; }
td:has(.facts) { width: 88%; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 14px; }
.facts > span, .tag { max-width: 100%; overflow-wrap: anywhere; }
.files { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; }
.files small { margin-left: 10px; color: var(--quiet); }
.files dt { color: var(--quiet); }
details { margin-top: 12px; }
summary { cursor: pointer; color: var(--link); width: max-content; max-width: 100%; }
summary:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px; }
details table { margin-top: 10px; }
footer { display: flex; flex-wrap: wrap; gap: 4px 18px; color: var(--quiet); padding: 4px 2px; font-size: 13px; }
@media (max-width: 720px) {
  body { padding: 16px 12px 32px; }
  .card { padding: 14px; }
  .cages { grid-template-columns: 1fr; }
  .figures { grid-template-columns: 1fr 1fr; padding: 0; }
  .figures div { padding: 10px 14px; }
  .figures div:last-child { grid-column: 1 / -1; }
  .verdict { flex-wrap: wrap; }
  .verdict > div { flex: 1 1 60%; }
  .verdict .since { margin-left: 52px; text-align: left; white-space: normal; }
  .verdict .since br { display: none; }
  .files { grid-template-columns: 1fr; gap: 0; }
  .files dd { margin-bottom: 8px; }
  table, tbody, tr, td { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { border-top: 1px solid var(--rule); padding: 8px 0; }
  tbody tr:first-child { border-top: 0; }
  td, td:has(.facts) { border: 0; padding: 1px 0; width: auto; }
  td[data-label] { display: grid; grid-template-columns: 76px 1fr; gap: 10px; }
  td[data-label]::before { content: attr(data-label); color: var(--quiet); font-size: 12.5px; }
  td[data-label] > * { grid-column: 2; }
  td:empty { display: none; }
}
@media (prefers-contrast: more) { :root { --rule: currentColor; --quiet: var(--text); } }
@media print { body { background: none; } details:not([open]) { display: none; } }
)css";
}

}  // namespace spark
