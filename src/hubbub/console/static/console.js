// Additions to pages that work without them: times in the reader's zone, questions before what
// can't be undone, the key for the search.

const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

function showTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
    time.title = time.textContent;
    time.textContent = zoned.format(new Date(time.dateTime));
  }
}

showTimes(document);
document.addEventListener("htmx:after:swap", () => showTimes(document));

document.addEventListener("submit", (event) => {
  const question = event.target.dataset.confirm;
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
