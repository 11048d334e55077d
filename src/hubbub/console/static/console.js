// Additions to pages that work without them: times in the reader's zone, the menu at its current
// page, questions before what can't be undone, the key for the search, plots of tables.

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

function showTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
    time.title = time.textContent;
    time.textContent = zoned.format(new Date(time.dateTime));
  }
}

showTimes(document);
document.addEventListener("htmx:after:swap", () => showTimes(document));

// On a phone the menus run beyond the window: the current page is where it is seen.

for (const item of document.querySelectorAll("nav [aria-current=page]")) {
  item.scrollIntoView({ block: "nearest", inline: "center" });
}

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm ?? event.target.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
});

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest("input, textarea, select");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
  const field = document.querySelector("[role=search] input");
  if (field) {
    event.preventDefault();
    field.focus();
  }
});

// In a queue, j and k (or the arrows) go to the next message and back; other keys press the buttons
// of the message that has the focus. After a decision the page comes back at the next message.

const waiting = [...document.querySelectorAll("[data-waiting]")];
if (waiting.length && location.hash.startsWith("#w-")) {
  (document.getElementById(location.hash.slice(1)) ?? waiting[0]).focus();
}

document.addEventListener("keydown", (event) => {
  if (!waiting.length || event.target.closest("input, textarea, select, summary")) return;
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = waiting.indexOf(event.target.closest("[data-waiting]"));
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  const button = waiting[at]?.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
  if (!step && !button) return;
  event.preventDefault();
  if (button) button.click();
  else waiting[Math.min(Math.max(at + step, 0), waiting.length - 1)].focus();
});

// <figure data-plot="ID" data-columns="1,2"> shows columns of the table with the id over its first
// one. The values are those of the table, which stands beside it for who sees no plot.

const WHOLE = Array.from({ length: 10 }, (_, n) => [1, 2, 5].map((m) => m * 10 ** n)).flat();
const COLOURS = ["--accent", "--danger", "--warn-ink"];

function plot(figure) {
  const table = document.getElementById(figure.dataset.plot);
  const columns = [0, ...figure.dataset.columns.split(",").map(Number)];
  const rows = [...table.tBodies[0].rows];
  const values = columns.map((c) => rows.map((row) => Number(row.cells[c].dataset.value)));
  const names = columns.map((c) => table.tHead.rows[0].cells[c].textContent);
  const colour = (name) => resolve(figure, name);
  const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 } };
  const label = figure.querySelector("figcaption").textContent;
  figure.querySelector(".uplot")?.remove();
  const isOfDays = figure.dataset.plot === "days";
  const made = new uPlot(
    {
      width: figure.clientWidth,
      height: 180,
      tzDate: isOfDays ? (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC") : undefined,
      legend: { live: true },
      cursor: { drag: { x: false, y: false } },
      scales: { y: { range: (_, least, most) => [0, Math.max(most * 1.1, 4)] } },
      axes: [axis, { ...axis, size: 55, incrs: WHOLE }],
      series: [
        { label: names[0] },
        ...names.slice(1).map((name, n) => ({
          label: name,
          stroke: colour(COLOURS[n]),
          width: 2,
          points: { show: rows.length < 40, size: 5 },
        })),
      ],
    },
    values,
    figure,
  );
  made.root.setAttribute("role", "img");
  made.root.setAttribute("aria-label", `${label}; the table below has the figures.`);
}

// A colour of light-dark() as what is painted now: a canvas knows no variables.
function resolve(figure, name) {
  const probe = figure.appendChild(document.createElement("i"));
  probe.style.color = `var(${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const figures = document.querySelectorAll("figure[data-plot]");
function plotAll() {
  for (const figure of figures) plot(figure);
}
if (figures.length) {
  plotAll();
  addEventListener("resize", plotAll);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", plotAll);
}
