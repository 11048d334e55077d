// The reference page works without this script. It adds a filter, a copy button on every example,
// the server's own address in the examples, and a mark in the contents at the current operation.
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

function showOwnAddress() {
  for (const address of all(".address")) address.textContent = location.origin;
}

function offerFilter() {
  const input = document.getElementById("filter");
  if (!input) return;
  const output = document.querySelector(".search output");
  const entries = all("[data-text]");
  const operations = all(".operation");
  const areas = all(".area, .contents .group");

  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of entries) {
      entry.hidden = !words.every((word) => entry.dataset.text.includes(word));
    }
    for (const area of areas) area.hidden = !area.querySelector("[data-text]:not([hidden])");
    const shown = operations.filter((operation) => !operation.hidden).length;
    output.textContent = words.length ? `${shown} of ${operations.length}` : "";
    document.querySelector(".nothing").hidden = shown > 0;
    document.querySelector(".introduction").hidden = words.length > 0;
  };

  input.addEventListener("input", filter);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = "";
    filter();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
  input.closest(".search").hidden = false;
  if (input.value) filter(); // the browser restored the page
}

function offerCopy() {
  if (!navigator.clipboard) return; // missing unless the page came over HTTPS or from this machine
  for (const button of all(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      const text = button.closest("figure").querySelector("code").textContent;
      try {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not allowed";
      }
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
  }
}

function foldContentsOnPhones() {
  const details = document.querySelector(".contents details");
  if (!details) return;
  const narrow = matchMedia("(max-width: 56rem)");
  const fold = () => (details.open = !narrow.matches);
  fold();
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  narrow.addEventListener("change", fold);
  details.addEventListener("click", (event) => {
    if (narrow.matches && event.target.closest("a")) details.open = false;
  });
}

function markCurrentOperation() {
  const links = new Map(all(".contents li a").map((link) => [link.hash.slice(1), link]));
  if (!links.size) return;
  const visible = new Set();
  let current = null;
  const observer = new IntersectionObserver(
    (changes) => {
      for (const change of changes) {
        if (change.isIntersecting) visible.add(change.target);
        else visible.delete(change.target);
      }
      const first = all(".operation").find((operation) => visible.has(operation));
      const link = first && links.get(first.id);
      if (!link || link === current) return;
      current?.removeAttribute("aria-current");
      link.setAttribute("aria-current", "location");
      current = link;
      const frame = link.closest(".contents");
      const box = link.getBoundingClientRect();
      const around = frame.getBoundingClientRect();
      const isOutside = box.top < around.top || box.bottom > around.bottom;
      if (isOutside) frame.scrollTop += box.top - around.top - around.height / 3;
    },
    { rootMargin: "-15% 0px -60% 0px" },
  );
  for (const operation of all(".operation")) observer.observe(operation);
}

showOwnAddress();
offerFilter();
offerCopy();
foldContentsOnPhones();
markCurrentOperation();
