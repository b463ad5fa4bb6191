"use strict";
// The report of a training run, fetched again while it grows.

const PERIOD = 10000;
const report = document.getElementById("report");
const state = document.getElementById("report-state");
let shown = "";
let isAsking = false;

async function refresh() {
  if (document.hidden || isAsking) return;
  isAsking = true;
  try {
    const answer = await fetch("report");
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.startsWith("{") ? JSON.parse(text).error : text);
    if (text !== shown) {
      shown = text;
      const wereOpen = [...report.querySelectorAll("details")].map((it) => it.open);
      const page = new DOMParser().parseFromString(text, "text/html");
      document.title = page.title;
      report.replaceChildren(...page.head.querySelectorAll("style"), ...page.body.childNodes);
      report.querySelectorAll("details").forEach((it, index) => (it.open = wereOpen[index] ?? it.open));
    }
    state.textContent = `as of ${new Date().toLocaleTimeString()}; grows while the run does`;
  } catch (error) {
    state.textContent = `no report: ${error.message}`;
  } finally {
    isAsking = false;
  }
}

document.addEventListener("visibilitychange", refresh);
setInterval(refresh, PERIOD);
refresh();
