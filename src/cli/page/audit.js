
"use strict";
// A log. Records are [kind, at, words, call, row, ...] in the order of the log; words, rows and names are numbers of `texts`, from
// 1, and 0 is none. What follows: precondition: tool, id, policy (from 1); outcome: event, row that named the failure; wait: its
// end; reported: scenario, tell, reminder; broken: tell. A segment has no call: [kind, at, words, writer, wall].

const data = JSON.parse(document.getElementById("data").textContent);
const PAGE = 25;
const byId = (id) => document.getElementById(id);
const textOf = (number) => number ? data.texts[number - 1] : "";

// ---- calls ----

function kindOfEnd(tell, reminder) {
  if (tell !== "model") return "host";
  return reminder === "yes" ? "reminder" : "model";
}

function newCall(number, writer, at) {
  return { number, writer, tool: "", id: "", policy: null, begin: at, end: at, ending: "without an end", kind: "host",
    tries: 0, spans: [], failures: new Set(), records: [], open: null };
}

const closeSpan = (call, at) => {
  if (call.open !== null) call.spans.push({ kind: "try", from: call.open, to: at });
  call.open = null;
};

const reads = {
  precondition(call, at, [tool, id, policy]) {
    call.tool = textOf(tool) || "(no tool of the host)";
    call.id = textOf(id);
    call.policy = policy ? data.policies[policy - 1] : null;
  },
  attempt(call, at) {
    call.tries++;
    call.open = at;
  },
  outcome(call, at, [event]) {
    if (textOf(event) !== "ok") call.failures.add(textOf(event));
    closeSpan(call, at);
  },
  wait(call, at, [end], shift) {
    call.spans.push({ kind: "wait", from: at, to: end + shift });
  },
  broken(call, at) {
    call.ending = "broken off";
    closeSpan(call, at);
  },
  reported(call, at, [scenario, tell, reminder]) {
    call.ending = textOf(scenario);
    call.kind = kindOfEnd(textOf(tell), textOf(reminder));
    closeSpan(call, at);
  },
};

// Times become milliseconds from the first record: each writer's clock has a zero of its own, and says the second it began in.
function readCalls() {
  const calls = [];
  let open = new Map();
  let writer = 0;
  let shift = 0;
  let zero = null;
  for (const record of data.records) {
    const [number, at, , call] = record;
    const kind = data.kinds[number];
    if (kind === "segment" && record[3] !== writer) {
      writer = record[3];
      shift = record[4] * 1000 - at;
      open = new Map();
    }
    if (zero === null) zero = at + shift;
    if (!(kind in reads) && kind !== "exhausted") continue;
    if (!open.has(call)) {
      open.set(call, newCall(call, writer, at + shift - zero));
      calls.push(open.get(call));
    }
    const of = open.get(call);
    of.end = at + shift - zero;
    of.records.push(record);
    if (reads[kind]) reads[kind](of, of.end, record.slice(5), shift - zero);
  }
  for (const call of calls) {
    // Whoever was killed in a wait, or in a try, was there until then at the least.
    closeSpan(call, call.end);
    if (call.ending !== "without an end") for (const span of call.spans) span.to = Math.min(span.to, call.end);
    else for (const span of call.spans) call.end = Math.max(call.end, span.to);
    call.key = call.writer + "." + call.number;
    call.words = [call.id, call.tool, call.ending, ...call.failures,
      ...call.records.map((record) => textOf(record[2]) + " " + textOf(record[4]))].join("\n").toLowerCase();
  }
  return calls;
}

const calls = readCalls();
const byKey = new Map(calls.map((call) => [call.key, call]));
const last = calls.reduce((most, call) => Math.max(most, call.end), 1);

// ---- what is looked at ----

const view = { from: 0, to: last, matching: calls, shown: [], page: 0, chosen: null, lanes: 1 };

function matches(call) {
  const text = byId("text").value.trim().toLowerCase();
  const is = (id, value) => byId(id).value === "" || byId(id).value === value;
  return is("tool", call.tool) && is("ending", call.ending) &&
    (byId("failure").value === "" || call.failures.has(byId("failure").value)) && (text === "" || call.words.includes(text));
}

// Each call has the first lane that is free, so that calls at one time stand below each other.
function layOut() {
  const ends = [];
  for (const call of [...view.matching].sort((a, b) => a.begin - b.begin)) {
    let lane = ends.findIndex((end) => end <= call.begin);
    if (lane < 0) lane = ends.length < 400 ? ends.length : call.number % 400;
    ends[lane] = Math.max(ends[lane] || 0, call.end + 1);
    call.lane = lane;
  }
  view.lanes = Math.max(1, ends.length);
}

function duration(ms) {
  if (ms < 1000) return Math.round(ms) + " ms";
  if (ms < 60000) return Number((ms / 1000).toFixed(2)) + " s";
  if (ms < 3600000) return Math.floor(ms / 60000) + " min " + Math.round(ms % 60000 / 1000) + " s";
  return Math.floor(ms / 3600000) + " h " + Math.round(ms % 3600000 / 60000) + " min";
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// ---- the time line ----

function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { try: of("--try"), wait: of("--wait-bar"), model: of("--end-model"), reminder: of("--end-reminder"), host: of("--end-host"),
    mark: of("--mark"), quiet: of("--quiet"), rule: of("--rule") };
}

const TOP = 24; // room for the times

function geometry() {
  const box = byId("time");
  const lane = Math.min(22, Math.max(0.5, (box.clientHeight - TOP) / view.lanes));
  return { width: box.clientWidth, height: box.clientHeight, lane, scale: box.clientWidth / (view.to - view.from) };
}

function drawTimes(pen, colour, { width, height, scale }) {
  const wanted = 110 / scale;
  const size = 10 ** Math.floor(Math.log10(wanted));
  const step = Math.max(1, [1, 2, 5, 10].map((times) => times * size).find((one) => one >= wanted));
  pen.font = "12px system-ui, sans-serif";
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const x = (at - view.from) * scale;
    pen.fillStyle = colour.rule;
    pen.fillRect(x, 0, 1, height);
    pen.fillStyle = colour.quiet;
    if (x + 60 < width) pen.fillText(duration(at), x + 4, 15);
  }
}

function drawCall(pen, colour, call, { lane, scale }) {
  const y = TOP + call.lane * lane;
  const high = Math.max(1, lane - (lane > 4 ? 2 : 0));
  const x = (at) => (at - view.from) * scale;
  if (call === view.chosen) {
    pen.fillStyle = colour.mark;
    pen.fillRect(x(call.begin) - 3, y - 2, (call.end - call.begin) * scale + 9, high + 4);
  }
  if ((call.end - call.begin) * scale > 3) {
    for (const span of call.spans) {
      pen.fillStyle = colour[span.kind];
      pen.fillRect(x(span.from), y, Math.max(1, (span.to - span.from) * scale), high);
    }
  }
  pen.fillStyle = colour[call.kind];
  pen.fillRect(x(call.end), y, 3, high);
}

function drawTime() {
  const canvas = byId("canvas");
  const ratio = window.devicePixelRatio || 1;
  const place = geometry();
  canvas.width = place.width * ratio;
  canvas.height = place.height * ratio;
  const pen = canvas.getContext("2d");
  const colour = colours();
  pen.scale(ratio, ratio);
  drawTimes(pen, colour, place);
  for (const call of view.shown) drawCall(pen, colour, call, place);
  byId("window").textContent = "From " + duration(view.from) + " to " + duration(view.to) + " of " + duration(last) + ".";
}

// ---- the list ----

function drawList() {
  const pages = Math.max(1, Math.ceil(view.shown.length / PAGE));
  view.page = Math.min(view.page, pages - 1);
  byId("list").tBodies[0].replaceChildren(...view.shown.slice(view.page * PAGE, (view.page + 1) * PAGE).map((call) => {
    const link = element("a", { href: "#call=" + call.key }, call.id || "call " + call.number);
    const cells = [call.tool, duration(call.begin), duration(call.end - call.begin), String(call.tries),
      [...call.failures].join(", ") || "-", call.ending];
    return element("tr", call === view.chosen ? { "aria-current": "true" } : {}, element("td", {}, link),
      ...cells.map((cell) => element("td", {}, cell)));
  }));
  byId("page").textContent = "Page " + (view.page + 1) + " of " + pages;
  byId("previous").disabled = view.page === 0;
  byId("next").disabled = view.page === pages - 1;
}

function drawCount() {
  const plain = (count) => String(count) + (count === 1 ? " call" : " calls");
  byId("count").textContent = `${view.matching.length} of ${plain(calls.length)} match, ${view.shown.length} in view.`;
}

function draw() {
  view.shown = view.matching.filter((call) => call.end >= view.from && call.begin <= view.to);
  drawCount();
  drawTime();
  drawList();
}

// Many changes before the next picture are one.
let wanted = false;
function redraw() {
  if (wanted) return;
  wanted = true;
  requestAnimationFrame(() => {
    wanted = false;
    draw();
  });
}

function filter() {
  view.matching = calls.filter(matches);
  view.page = 0;
  layOut();
  redraw();
}

// ---- moving about ----

function look(from, to) {
  const size = Math.min(last, Math.max(1, to - from));
  view.from = Math.min(Math.max(0, from), last - size);
  view.to = view.from + size;
  view.page = 0;
  redraw();
}

function zoom(factor, around = 0.5) {
  const size = view.to - view.from;
  const at = view.from + size * around;
  look(at - size * factor * around, at + size * factor * (1 - around));
}

function move(part) {
  const by = (view.to - view.from) * part;
  look(view.from + by, view.to + by);
}

const keys = {
  ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
  0: () => look(0, last), Home: () => look(0, view.to - view.from), End: () => look(last - (view.to - view.from), last),
};

function callAt(x, y) {
  const { lane, scale } = geometry();
  const at = view.from + x / scale;
  const far = (call) => Math.max(0, call.begin - at, at - call.end) * scale + Math.abs((call.lane + 0.5) * lane + TOP - y);
  const nearest = view.shown.reduce((best, call) => best === null || far(call) < far(best) ? call : best, null);
  return nearest !== null && far(nearest) < 40 ? nearest : null;
}

function listenToPointer(box) {
  let drag = null;
  box.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, from: view.from, to: view.to, moved: false };
    box.setPointerCapture(event.pointerId);
  });
  box.addEventListener("pointermove", (event) => {
    if (drag === null) return;
    drag.moved = drag.moved || Math.abs(event.clientX - drag.x) > 4;
    const by = (drag.x - event.clientX) / geometry().scale;
    if (drag.moved) look(drag.from + by, drag.to + by);
  });
  box.addEventListener("pointerup", (event) => {
    const place = box.getBoundingClientRect();
    const call = drag && !drag.moved && callAt(event.clientX - place.left, event.clientY - place.top);
    if (call) location.hash = "call=" + call.key;
    drag = null;
  });
  box.addEventListener("pointercancel", () => { drag = null; });
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, (event.clientX - box.getBoundingClientRect().left) / box.clientWidth);
  }, { passive: false });
}

// ---- a story ----

function because(call, id) {
  const known = call.policy && Object.hasOwn(call.policy.rows, id) ? call.policy.rows[id] : "";
  return element("span", { class: "because" }, known ? id + ": " + known : "");
}

function drawStory() {
  const call = view.chosen;
  const start = call.records[0][1];
  const rows = call.records.map((record) => {
    const row = textOf(record[4]);
    const fact = data.kinds[record[0]] === "outcome" ? textOf(record[6]) : "";
    return element("tr", {}, element("td", { class: "when" }, "+" + duration(record[1] - start)),
      element("td", {}, textOf(record[2]), ...(fact ? [because(call, fact)] : []), because(call, row)), element("td", {}, row));
  });
  const heads = ["after", "what", "row"].map((text) => element("th", { scope: "col" }, text));
  const about = call.policy ? "Judged by the policy " + call.policy.name + "."
    : "The policy is not known here: recourse audit show --spec FILE puts the texts of its rows on this page.";
  byId("story-title").textContent = "Story of " + (call.id || "call " + call.number);
  byId("story").replaceChildren(
    element("p", {}, `${call.tool}, call ${call.number} of writer ${call.writer}: ${call.ending}. ` + about),
    element("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Steps" },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows))));
}

function choose() {
  const key = /^#call=([0-9]+\.[0-9]+)$/.exec(location.hash);
  const call = key && byKey.get(key[1]);
  if (!call) return;
  view.chosen = call;
  drawStory();
  redraw();
  byId("story-title").focus();
}

// ---- all of it ----

function offer(id, values) {
  for (const value of [...new Set(values)].sort()) byId(id).append(element("option", { value }, value));
}

function begin() {
  offer("tool", calls.map((call) => call.tool));
  offer("ending", calls.map((call) => call.ending));
  offer("failure", calls.flatMap((call) => [...call.failures]));
  byId("filters").addEventListener("input", filter);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("reset", () => setTimeout(filter));
  byId("in").addEventListener("click", () => zoom(0.5));
  byId("out").addEventListener("click", () => zoom(2));
  byId("earlier").addEventListener("click", () => move(-0.5));
  byId("later").addEventListener("click", () => move(0.5));
  byId("all").addEventListener("click", () => look(0, last));
  byId("previous").addEventListener("click", () => { view.page--; drawList(); });
  byId("next").addEventListener("click", () => { view.page++; drawList(); });
  byId("time").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  listenToPointer(byId("time"));
  window.addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  window.addEventListener("hashchange", choose);
  layOut();
  draw();
  choose();
}

begin();
