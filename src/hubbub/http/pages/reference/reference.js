// What the reference does besides being read: search, samples in three languages, and requests.
"use strict";

const LANGUAGES = {curl: inCurl, Python: inPython, JavaScript: inJavaScript};
const MOST_RESULTS = 30;
const API = `${location.origin}/v3`;
const credentials = document.getElementById("credentials");
const box = document.getElementById("search");
const results = document.getElementById("results");
const sections = [...document.querySelectorAll("main section[id]")];
const operations = sections.filter((section) => section.dataset.method);
let language = "curl";

// Elements -------------------------------------------------------------------------------------

function make(tag, traits = {}, ...children) {
  const element = Object.assign(document.createElement(tag), traits);
  element.append(...children);
  return element;
}

// Samples --------------------------------------------------------------------------------------

function requestOf(section) {
  const {method, path, inputs, body, manages} = section.dataset;
  const values = JSON.parse(inputs);
  const text = (value) => (Array.isArray(value) ? value.join(",") : String(value));
  const of = (place) => values.filter((each) => each.in === place && "example" in each);
  const filled = of("path").reduce(
    (left, each) => left.replace(`{${each.name}}`, encodeURIComponent(text(each.example))), path);
  const query = new URLSearchParams(of("query").map((each) => [each.name, text(each.example)]));
  const headers = manages ? {key: "KEY", secret: "SECRET"} : {apikey: "KEY"};
  for (const each of of("header")) headers[each.name] = text(each.example);
  return {method, url: API + filled + (query.size ? `?${query}` : ""), headers, body};
}

function inCurl({method, url, headers, body}) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`);
  if (body) lines.push(`-d ${quoted(body)}`);
  const usual = body ? "POST" : "GET";
  const verb = method === usual ? "" : `-X ${method} `;
  return [`curl ${verb}${quoted(url)}`, ...lines].join(" \\\n  ");
}

function inPython({method, url, headers, body}) {
  const python = (body ?? "").replace(/\b(true|false|null)\b(?=[,\n\]}])/g,
    (word) => ({true: "True", false: "False", null: "None"})[word]);
  const lines = [`    "${method}",`, `    "${url}",`, `    headers=${JSON.stringify(headers)},`];
  if (body) lines.push(`    json=${python.replaceAll("\n", "\n    ")},`);
  return `import requests\n\nanswer = requests.request(\n${lines.join("\n")}\n)\nprint(answer.json())`;
}

function inJavaScript({method, url, headers, body}) {
  const lines = [`  method: "${method}",`, `  headers: ${JSON.stringify(headers)},`];
  if (body) lines.push(`  body: JSON.stringify(${body.replaceAll("\n", "\n  ")}),`);
  const call = `fetch("${url}", {\n${lines.join("\n")}\n})`;
  return `const answer = await ${call};\nconsole.log(await answer.json());`;
}

function showSamples() {
  for (const section of operations) {
    section.querySelector(".sample code").textContent = LANGUAGES[language](requestOf(section));
    for (const tab of section.querySelectorAll(".tabs button[data-language]")) {
      tab.ariaPressed = String(tab.dataset.language === language);
    }
  }
}

function choose(name) {
  language = name;
  showSamples();
}

function addTabs(section) {
  const tabs = make("div", {className: "tabs"});
  for (const name of Object.keys(LANGUAGES)) {
    const tab = make("button", {type: "button", onclick: () => choose(name)}, name);
    tab.dataset.language = name;
    tabs.append(tab);
  }
  tabs.append(make("button", {type: "button", className: "try", onclick: () => openForm(section)},
    "Try it"));
  section.querySelector(".sample").before(tabs);
}

// Requests -------------------------------------------------------------------------------------

function openForm(section) {
  const open = section.querySelector("form");
  if (open) {
    open.remove();
    return;
  }
  const form = make("form", {onsubmit: (event) => send(event, section)});
  for (const each of JSON.parse(section.dataset.inputs)) {
    const isGiven = each.required || each.name === "onBehalfOf";
    const value = isGiven && "example" in each ? String(each.example) : "";
    const input = make("input", {name: each.name, value, required: each.required,
      autocomplete: "off"});
    input.dataset.in = each.in;
    form.append(make("label", {}, each.name, input));
  }
  if (section.dataset.body) {
    const rows = Math.min(20, section.dataset.body.split("\n").length + 1);
    form.append(make("label", {}, "body",
      make("textarea", {name: "body", value: section.dataset.body, rows, spellcheck: false})));
  }
  if (section.dataset.files) {
    form.append(make("label", {}, "files", make("input", {type: "file", name: "file",
      multiple: true})));
  }
  form.append(make("button", {type: "submit"}, "Send"), make("output"));
  section.querySelector(".sample").after(form);
  form.querySelector("input, textarea, button").focus();
}

function readForm(form, section) {
  let path = section.dataset.path;
  const query = new URLSearchParams();
  const headers = {};
  for (const {name, value} of credentials.querySelectorAll("input")) if (value) headers[name] = value;
  for (const input of form.querySelectorAll("input[data-in]")) {
    if (input.dataset.in === "path") {
      path = path.replace(`{${input.name}}`, encodeURIComponent(input.value));
    } else if (input.value && input.dataset.in === "query") query.set(input.name, input.value);
    else if (input.value) headers[input.name] = input.value;
  }
  const files = [...form.querySelector("input[type=file]")?.files ?? []];
  const body = form.elements.body?.value;
  return {url: API + path + (query.size ? `?${query}` : ""), headers, files, body};
}

function makeBody({headers, files, body}) {
  if (!files.length) {
    if (body !== undefined) headers["Content-Type"] = "application/json";
    return body;
  }
  const data = new FormData();
  for (const [name, value] of Object.entries(JSON.parse(body))) {
    data.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  for (const file of files) data.append("file", file);
  return data;
}

async function send(event, section) {
  event.preventDefault();
  const form = event.target;
  const output = form.querySelector("output");
  try {
    const request = readForm(form, section);
    const body = makeBody(request);
    const begun = performance.now();
    const answer = await fetch(request.url, {method: section.dataset.method,
      headers: request.headers, body});
    const text = await answer.text();
    const took = Math.round(performance.now() - begun);
    output.replaceChildren(make("p", {}, `${answer.status} in ${took} ms`),
      make("pre", {}, make("code", {}, indented(text))));
    if (answer.status === 401) {
      output.append(make("p", {}, "Enter your key under ",
        make("a", {href: "#your-credentials"}, "Your credentials"), "."));
    }
  } catch (failure) {
    output.replaceChildren(make("p", {}, `Nothing was sent, or no answer came: ${failure.message}`));
  }
}

function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

// Search ---------------------------------------------------------------------------------------

const KINDS = {guide: 40, operation: 30, code: 20, shape: 0};
let entries;

function indexEntries() {
  entries ??= sections.map((section, place) => {
    const {path = "", method = "", words = ""} = section.dataset;
    const title = section.querySelector("h2, h3").textContent;
    return {section, place, title, method, path, kind: KINDS[section.className] ?? 0,
      named: fold(title), words: words.split(",").map((each) => fold(each.trim())),
      id: fold(`${section.id} ${path}`), text: fold(section.textContent)};
  });
  return entries;
}

function fold(text) {
  return text.toLowerCase().replaceAll(/[_-]/g, " ");
}

function score(entry, query, parts) {
  let sum = entry.kind;
  if (entry.words.includes(query)) sum += 400;
  if (entry.id.split(" ")[0] === query || entry.named === query) sum += 300;
  if (entry.named.includes(query)) sum += 100;
  for (const part of parts) {
    const word = new RegExp(`(^|\\W)${part.replaceAll(/\W/g, "\\$&")}`);
    if (word.test(entry.words.join(" "))) sum += 120;
    else if (word.test(entry.named)) sum += 100;
    else if (word.test(entry.id)) sum += 80;
    else if (word.test(entry.text)) sum += 10;
    else if (entry.text.includes(part)) sum += 5;
    else return 0;
  }
  return sum;
}

function find(text) {
  const query = fold(text.trim());
  const parts = query.split(/\s+/).filter(Boolean);
  if (!parts.length) return [];
  return indexEntries()
    .map((entry) => ({entry, score: score(entry, query, parts)}))
    .filter((each) => each.score > 0)
    .sort((one, other) => other.score - one.score || one.entry.place - other.entry.place)
    .slice(0, MOST_RESULTS)
    .map((each) => each.entry);
}

function showResults() {
  const found = find(box.value);
  results.replaceChildren(...found.map((entry) => {
    const where = entry.path ? `${entry.method} ${entry.path}` : "";
    const link = make("a", {href: `#${entry.section.id}`, role: "option", tabIndex: -1,
      onclick: close}, make("span", {}, entry.title), make("code", {}, where));
    return link;
  }));
  if (!found.length && box.value.trim()) results.append(make("p", {}, "Nothing is found."));
  results.hidden = !results.childElementCount;
  mark(0);
}

function mark(place) {
  const options = [...results.querySelectorAll("a")];
  options.forEach((option, at) => option.setAttribute("aria-selected", String(at === place)));
  options[place]?.scrollIntoView({block: "nearest"});
}

function marked() {
  return [...results.querySelectorAll("a")].findIndex((each) => each.ariaSelected === "true");
}

function close() {
  results.hidden = true;
  box.blur();
}

function onKey(event) {
  const last = results.querySelectorAll("a").length - 1;
  if (event.key === "ArrowDown") mark(Math.min(last, marked() + 1));
  else if (event.key === "ArrowUp") mark(Math.max(0, marked() - 1));
  else if (event.key === "Enter") results.querySelectorAll("a")[marked()]?.click();
  else if (event.key === "Escape") close();
  else return;
  event.preventDefault();
}

// The page -------------------------------------------------------------------------------------

box.hidden = false;
credentials.hidden = false;
credentials.onsubmit = (event) => event.preventDefault();
box.oninput = box.onfocus = showResults;
box.onkeydown = onKey;
document.addEventListener("keydown", (event) => {
  const isSlash = event.key === "/" && !event.target.closest("input, textarea");
  if (isSlash || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
    event.preventDefault();
    box.focus();
    box.select();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) results.hidden = true;
});
const menu = document.querySelector(".menu");
menu.ontoggle = () => document.body.classList.toggle("is-open", menu.open);
document.querySelector("nav").onclick = (event) => {
  if (event.target.closest("a")) menu.open = false;
};
operations.forEach(addTabs);
showSamples();
for (const code of document.querySelectorAll("pre code")) {
  code.textContent = code.textContent.replaceAll("http://127.0.0.1:8080", location.origin);
}
