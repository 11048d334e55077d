"""The report of an import as a page that one hands on: one file, which loads nothing."""

from collections.abc import Iterator, Mapping
from html import escape
from importlib.resources import files

from hubbub.http.pages.markup import table
from hubbub.moving.report import Compared, Report

STYLE = """
body { margin: 0 auto; max-width: 60rem; padding: var(--gap-6) var(--gap-4);
  background: var(--page); color: var(--ink); font: var(--text)/1.5 var(--font); }
h1 { font-size: var(--text-title); margin: 0 0 var(--gap-1); }
h2 { font-size: var(--text-large); margin: var(--gap-6) 0 var(--gap-2); }
p { margin: var(--gap-2) 0; }
.source { color: var(--faint); overflow-wrap: anywhere; }
.verdict { padding: var(--gap-3) var(--gap-4); border-radius: var(--corner);
  background: var(--accent-soft); font-size: var(--text-large); }
.verdict.bad { background: var(--warn-soft); color: var(--warn-ink); }
.wide { overflow-x: auto; max-height: 30rem; overflow-y: auto; border: 1px solid var(--line);
  border-radius: var(--corner); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: var(--gap-1) var(--gap-3); text-align: right;
  border-bottom: 1px solid var(--line); }
th { position: sticky; top: 0; background: var(--ground); font-size: var(--text-note);
  color: var(--faint); font-weight: 600; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
tr:last-child td { border-bottom: 0; }
code { font-family: var(--font-code); font-size: var(--text-note); }
li { overflow-wrap: anywhere; }
@media print { .wide { max-height: none; } }
"""


def render(report: Report) -> str:
    """Return the page of a report."""
    return "".join(_parts(report))


def _parts(report: Report) -> Iterator[str]:
    tokens = files("hubbub.http.pages").joinpath("tokens.css").read_text(encoding="utf-8")
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    yield "style-src 'unsafe-inline'\">"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>Import of {escape(report.source)}</title>"
    yield f"<style>{tokens}{STYLE}</style></head><body><main>"
    yield "<h1>Import report</h1>"
    yield f'<p class="source">{escape(report.source)} ({escape(report.origin)})</p>'
    yield _verdict(report)
    if report.from_:
        yield f"<p>Messages from {report.from_} to {report.until}, in "
        yield f"{report.conversations:,} conversations. It took {report.seconds:,.0f} s.</p>"
    if report.kinds:
        yield "<h2>What became of the rows</h2>"
        yield table(
            ("Kind", "Read", "Imported", "Skipped", "Updated", "Refused"),
            [
                (
                    escape(kind),
                    *(f"{n:,}" for n in (c.read, c.imported, c.skipped)),
                    f"{c.updated:,}",
                    f"{c.refused:,}",
                )
                for kind, c in report.kinds.items()
            ],
        )
    if report.dropped:
        yield "<h2>What was left out</h2>"
        dropped = sorted(report.dropped.items(), key=lambda each: -each[1])
        yield table(("What", "Times"), [(escape(what), f"{n:,}") for what, n in dropped])
    comparison = report.comparison
    yield "<h2>The source and the store</h2>"
    yield f"<p>Sum over the content of the source <code>{report.checksum.source}</code>, "
    yield f"of the store <code>{report.checksum.store}</code>.</p>"
    yield _compared("Kind", comparison.kinds)
    if comparison.differences:
        yield f"<h2>Differences ({comparison.different:,})</h2><ul>"
        yield "".join(f"<li>{escape(each)}</li>" for each in comparison.differences)
        yield "</ul>"
    if comparison.conversations:
        yield "<h2>Messages by conversation</h2>"
        yield _compared("Conversation", comparison.conversations)
        yield "<h2>Messages by day (UTC)</h2>"
        yield _compared("Day", comparison.days)
    yield "</main></body></html>\n"


def _verdict(report: Report) -> str:
    if report.is_clean:
        return '<p class="verdict">The store has all that the source has.</p>'
    said = f"{report.comparison.different:,} rows of the source are not in the store as they are."
    return f'<p class="verdict bad">{said}</p>'


def _compared(heading: str, rows: Mapping[str, Compared]) -> str:
    return table(
        (heading, "Source", "Store"),
        [(escape(name), f"{c.source:,}", f"{c.store:,}") for name, c in rows.items()],
    )
