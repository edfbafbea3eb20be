/** How the reference looks: quiet, one column beside its contents, light or dark as the reader has it. */

export const STYLE = `
:root {
  --ground: #fdfdfc; --raised: #f5f5f2; --line: #e3e2dc; --ink: #24272b; --soft: #63686f;
  --accent: #1f5f8b; --get: #1f6b4f; --post: #1f5f8b; --put: #86580f; --patch: #6b4a97; --delete: #a5352f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181b; --raised: #1e2125; --line: #33373d; --ink: #dfe1e4; --soft: #9aa0a8;
    --accent: #84bbe3; --get: #7cc9a5; --post: #84bbe3; --put: #dbb36a; --patch: #bfa2e8; --delete: #ee958d;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink); overflow-wrap: break-word;
  font: 1rem/1.6 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr);
}
main { padding: 3rem 3.5rem 8rem; max-width: 60rem; }
nav { font-size: .875rem; background: var(--raised); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav ul ul { margin: .15rem 0 1.25rem; }
nav li a { display: block; padding: .15rem 0; color: var(--soft); text-decoration: none; line-height: 1.4; }
.contents > li > a { color: var(--ink); font-weight: 600; }
nav li a:hover { color: var(--accent); }
.beside {
  position: sticky; top: 0; align-self: start; height: 100vh; overflow-y: auto;
  padding: 3rem 1.5rem; border-right: 1px solid var(--line);
}
.above { display: none; margin: 2rem 0 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
.above summary { cursor: pointer; font-weight: 600; }
.above .contents { columns: 14rem; margin-top: 1rem; }
.above .contents > li { break-inside: avoid; }
a { color: var(--accent); text-underline-offset: .2em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 2px; }
p { margin: 0 0 1rem; max-width: 44rem; }
h1, h2, h3, h4 { line-height: 1.25; margin: 0; font-weight: 600; }
h1 { font-size: 2.25rem; letter-spacing: -.02em; margin-bottom: 1.5rem; }
h1 span { color: var(--soft); font-weight: 400; }
h2 {
  font-size: 1.625rem; letter-spacing: -.01em; margin-top: 5rem; padding-top: 2rem;
  border-top: 1px solid var(--line);
}
h3 { font-size: 1.25rem; margin-top: 3.5rem; margin-bottom: .5rem; }
h4 {
  font-size: .8125rem; letter-spacing: .02em; color: var(--soft);
  margin: 2rem 0 .5rem;
}
.lead { color: var(--soft); margin-top: .5rem; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover::after { content: " #"; color: var(--soft); font-weight: 400; }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
code { font-size: .875em; }
p code, td code { background: var(--raised); border-radius: 3px; padding: .1em .2em; }
pre {
  margin: 0 0 1rem; padding: .875rem 1rem; overflow-x: auto; line-height: 1.5;
  background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
}
.route { margin-bottom: .75rem; }
.route code { background: none; padding: 0; }
.method { font-size: .75rem; font-weight: 700; letter-spacing: .05em; margin-right: .35rem; }
.get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
.patch { color: var(--patch); } .delete { color: var(--delete); }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; line-height: 1.5; margin-bottom: 1rem; }
th, td { text-align: left; vertical-align: top; font-weight: 400; padding: .5rem 1.25rem .5rem 0; border-top: 1px solid var(--line); }
tr:last-child > * { border-bottom: 1px solid var(--line); }
.members { table-layout: fixed; }
.members th { width: 27%; } .members .type { width: 25%; color: var(--soft); }
.errors { table-layout: fixed; }
.errors td:first-child { width: 4rem; }
.errors th { width: 14rem; }
.errors tr > * { padding-top: .2rem; padding-bottom: .2rem; }
.errors .more > * { border-top: 0; }
.mark { color: var(--soft); font-size: .8125rem; font-style: italic; white-space: nowrap; }
.answer h5 { margin: .75rem 0 .5rem; font-size: .8125rem; font-weight: 400; color: var(--soft); }
.default { color: var(--soft); white-space: nowrap; }
.status { font-variant-numeric: tabular-nums; font-weight: 600; }
.content, .answer { margin-bottom: 1.25rem; }
.content > p { margin-bottom: .5rem; }
.media { color: var(--ink); font-weight: 600; margin-right: .35rem; }
@media (max-width: 60rem) {
  body { display: block; }
  main { padding: 1.5rem 1.25rem 4rem; }
  .beside { display: none; }
  .above { display: block; }
}
@media (max-width: 40rem) {
  h1 { font-size: 1.75rem; }
  .members, .members tbody, .members tr, .members th, .members td { display: block; width: auto; }
  .members tr { padding: .5rem 0; border-top: 1px solid var(--line); }
  .members tr > *, .members tr:last-child > * { border: 0; padding: .05rem 0; }
  .members .type { width: auto; font-size: .875rem; }
  .members tr:last-child { border-bottom: 1px solid var(--line); }
  .errors th { width: auto; }
  .errors tr { display: grid; grid-template-columns: 3.5rem 1fr; padding: .5rem 0; border-top: 1px solid var(--line); }
  .errors tr > *, .errors tr:last-child > * { border: 0; padding: 0; }
  .errors td:last-child { grid-column: 2; }
}
@media print { nav { display: none; } body { display: block; } }
`;
