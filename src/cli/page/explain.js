
"use strict";
// The simulator. It walks the unrolled machine that the compiler made, by looking up: `states[s].moves[symbol]` is a row and
// the next state, `waits[w].windows[delay][index]` what is waited (before jitter, least, most; null: the server asked for
// too long). What a word means as a symbol is in `words`. A run is its words, and they are in the fragment: #run=a,b@5s!time

const machine = JSON.parse(document.getElementById("machine").textContent);

// ---- the machine ----

function start() {
  return { state: 0, tries: 0, uses: machine.waits.map(() => 0), reason: 0, steps: [], waits: [], last: null };
}

function placeOf(run) {
  return machine.states[run.state].place;
}

function moveBy(state, symbol) {
  const move = machine.states[state].moves[symbol];
  return move && { row: machine.rows[move[0]], state: move[1], place: machine.states[move[1]].place };
}

function step(run, event, move) {
  const added = { state: placeOf(run), event, row: move.row.id, line: move.row.line, next: move.place,
    wait_ms: null, wait_min_ms: null, wait_max_ms: null, scenario: null };
  run.steps.push(added);
  run.state = move.state;
  if (move.place === "attempt") run.tries++;
  if (move.place === "reported") {
    run.report = move.row;
    added.scenario = machine.scenarios[move.row.scenario].label;
  }
  return added;
}

// A failure that its row would try again: 0, or why it is not (the index in `reasons`).
function reasonAgainst(may, window, given) {
  if (may.place === "exhausted") return machine.reasons.indexOf("tries spent");
  if (window === null) return machine.reasons.indexOf("asked too long");
  return given.noTime ? machine.reasons.indexOf("out of time") : 0;
}

function attempt(run, word, given) {
  let move = moveBy(run.state, word.symbol);
  if (!move) return false;
  const wait = move.row.wait === null ? null : machine.waits[move.row.wait];
  let window;
  if (wait) {
    const index = wait.by_uses ? run.uses[move.row.wait] : run.tries - 1;
    window = (wait.windows[given.delay] || wait.windows[""])[index];
    run.reason = reasonAgainst(move, window, given);
    if (run.reason !== 0) move = moveBy(run.state, word.no_wait);
  }
  const added = step(run, word.event, move);
  if (move.place === "backoff") {
    run.uses[move.row.wait]++;
    [added.wait_ms, added.wait_min_ms, added.wait_max_ms] = window;
    added.scenario = machine.scenarios[move.row.scenario].label;
    run.waits.push(window[0]);
  }
  if (move.place === "exhausted") {
    const ending = moveBy(run.state, word.ended + run.reason);
    if (!ending) return false;
    step(run, word.event, ending);
  }
  return true;
}

// "rate_limited:safe@5s!time", taken apart; null if it is no word of this page.
function readWord(text) {
  const parts = /^([a-z][a-z0-9_]*(?::safe)?)(?:@([0-9]+m?s))?(!time)?$/.exec(text);
  if (!parts || (parts[2] && !machine.delays.some((delay) => delay.word === parts[2]))) return null;
  return { text, name: parts[1], delay: parts[2] || "", noTime: Boolean(parts[3]) };
}

function wordIn(place, name) {
  return (machine.words[place] || []).find((word) => word.word === name);
}

// As `recourse simulate` does, `ready` and `elapsed` are put in where the word belongs to the next state.
function take(run, text) {
  const given = readWord(text);
  const implied = { precondition: "ready", backoff: "elapsed" }[placeOf(run)];
  if (!given) return false;
  if (implied && !wordIn(placeOf(run), given.name) && wordIn("attempt", given.name)) {
    step(run, implied, moveBy(run.state, wordIn(placeOf(run), implied).symbol));
  }
  const place = placeOf(run);
  const word = wordIn(place, given.name);
  if (!word || ((given.delay || given.noTime) && word.no_wait === undefined)) return false;
  run.last = { event: word.event, delay: given.delay };
  if (place === "attempt") return attempt(run, word, given);
  const move = moveBy(run.state, word.symbol);
  if (move) step(run, word.event, move);
  return Boolean(move);
}

function walk(words) {
  let run = start();
  for (let used = 0; used < words.length; used++) {
    const before = structuredClone(run);
    if (!take(run, words[used])) return { run: before, used };
  }
  return { run, used: words.length };
}

// What `recourse simulate --json` prints of the same words.
function outcome(run) {
  const scenario = run.report ? machine.scenarios[run.report.scenario] : null;
  return { steps: run.steps, end: placeOf(run), scenario: scenario && scenario.label, tell: scenario && scenario.tell,
    reminder: scenario && scenario.reminder, reason: machine.reasons[run.reason] || null, tries: run.tries, waits_ms: run.waits };
}
window.simulate = (words) => outcome(walk(words).run);

// ---- what is shown ----

const byId = (id) => document.getElementById(id);

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function duration(ms) {
  if (ms < 1000) return ms + " ms";
  if (ms % 60000 === 0) return ms / 60000 + " min";
  return ms / 1000 + " s";
}

function waitText(step) {
  if (step.wait_ms === null) return "-";
  const range = duration(step.wait_min_ms) + " to " + duration(step.wait_max_ms);
  return duration(step.wait_ms) + (step.wait_min_ms === step.wait_max_ms ? "" : " (" + range + ")");
}

let words = [];

function show(next) {
  location.hash = next.length === 0 ? "run" : "run=" + next.join(",");
}

function kindOf(scenario) {
  if (scenario.tell === "host") return "host";
  return scenario.reminder ? "reminder" : "model";
}

function rowLink(id) {
  return element("a", { class: "row", href: "#row-" + id }, id);
}

function drawSteps(run) {
  byId("steps").tBodies[0].replaceChildren(...run.steps.map((step) => {
    const cells = [step.state, step.event, rowLink(step.row), String(step.line), step.next, waitText(step), step.scenario || "-"];
    return element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));
  }));
}

// Tries have no length here: how long a tool takes is no matter of the policy. Waits are as long as their time.
function drawLine(run) {
  const items = [];
  let at = 0;
  let tries = 0;
  const add = (kind, text, grow) => {
    const item = element("li", { class: kind }, element("span", { class: "span" }, text),
      element("span", { class: "at" }, kind === "wait" ? "" : duration(at)));
    item.style.flexGrow = grow;
    items.push(item);
  };
  for (const step of run.steps) {
    if (step.next === "attempt") add("try", "try " + ++tries, 0);
    if (step.wait_ms !== null) {
      add("wait", "wait " + waitText(step), step.wait_ms);
      at += step.wait_ms;
    }
    if (step.next === "reported") add("end " + kindOf(machine.scenarios[run.report.scenario]), step.scenario, 0);
  }
  if (items.length === 0) items.push(element("li", {}, "Nothing has happened yet."));
  byId("line").replaceChildren(...items);
}

// A placeholder's value: a text, or an element where only a real call has one.
function valueOf(run, name) {
  const delay = machine.delays.find((one) => one.word === run.last.delay);
  switch (name) {
  case "tries": return String(run.tries);
  case "reminder": return machine.scenarios[run.report.scenario].reminder ? machine.reminder : "";
  case "failure": return run.last.event.replaceAll("_", " ");
  case "server_delay": return delay ? delay.text : "";
  default: return element("var", {}, name);
  }
}

// The message's text; a blank before a placeholder that stands for nothing goes with it.
function message(run) {
  const parts = machine.messages[run.report.message].split(/( ?\{[a-z_]+\})/);
  return parts.map((part) => {
    const placeholder = /^( ?)\{([a-z_]+)\}$/.exec(part);
    if (!placeholder) return [part];
    const value = valueOf(run, placeholder[2]);
    return value === "" ? [] : [placeholder[1], value];
  }).flat();
}

function drawEnd(run) {
  if (!run.report) {
    byId("end").replaceChildren();
    return;
  }
  const scenario = machine.scenarios[run.report.scenario];
  const whom = scenario.tell === "host" ? "The run fails, and the host is told" : "The model reads";
  const told = run.report.message === null ? ["the tool's own ", scenario.tell === "host" ? "words" : "answer"] : message(run);
  const reason = machine.reasons[run.reason];
  byId("end").replaceChildren(
    element("h3", {}, "Reported as " + scenario.label),
    element("p", {}, (scenario.meaning || "") + (reason ? " (not tried again: " + reason + ")" : "")),
    element("p", {}, whom + (scenario.reminder === null ? ":" : scenario.reminder ? ", with the reminder:" : ", without the reminder:")),
    element("p", { class: "told " + kindOf(scenario) }, ...told));
}

function drawShare(run) {
  if (words.length === 0) {
    byId("share").replaceChildren("Each run has a link of its own: pick what happens.");
    return;
  }
  byId("share").replaceChildren(element("a", { href: "#run=" + words.join(",") }, "Link to this run"), ", the same as ",
    element("code", {}, "recourse simulate " + machine.policy + " " + words.map((word) => word.includes("!") ? "'" + word + "'" : word).join(" ")));
}

function drawDiagram(run) {
  const picture = document.querySelector(".picture svg");
  if (!picture) return;
  const rows = new Set(run.steps.map((step) => step.row));
  const label = run.report && machine.scenarios[run.report.scenario].label;
  for (const row of picture.querySelectorAll("[data-row]")) row.classList.toggle("taken", rows.has(row.dataset.row));
  for (const card of picture.querySelectorAll(".card")) card.classList.toggle("through", card.querySelector(".taken") !== null);
  for (const place of picture.querySelectorAll("[data-place]")) place.classList.toggle("here", place.dataset.place === placeOf(run));
  for (const end of picture.querySelectorAll("[data-scenario]")) end.classList.toggle("here", end.dataset.scenario === label);
}

const headings = {
  precondition: "Before the tool is touched", attempt: "The tool is called, and the try ends in", backoff: "While it waits",
};

// The word that a button stands for: failures take up what is set for them.
function wordOf(word) {
  if (word.no_wait === undefined) return word.word;
  const safe = byId("safe").checked && word.effect !== "none" ? ":safe" : "";
  const delay = byId("delay").value;
  return word.event + safe + (delay && "@" + delay) + (byId("no-time").checked ? "!time" : "");
}

// Two words for one event, by what had been sent when it came.
function noteOf(place, word) {
  if (word.no_wait !== undefined || !["deadline", "cancelled"].includes(word.event) || place === "precondition") return "";
  if (place === "backoff" && wordIn("backoff", word.word)) return "";
  return word.word.endsWith(":safe") ? " (nothing was sent)" : " (may have been sent)";
}

function drawWords(run) {
  const place = placeOf(run);
  const here = machine.words[place] || [];
  const ahead = place === "precondition" || place === "backoff" ? machine.words.attempt : [];
  const group = (title, list) => {
    const offered = list.filter((word) => word.shown && !(word.no_wait !== undefined && word.word.endsWith(":safe")));
    const buttons = offered.map((word) => {
      const text = wordOf(word);
      const button = element("button", { type: "button", "data-word": text, class: word.word === "ok" ? "good" : "" }, text,
        element("span", { class: "note" }, noteOf(place, word)));
      button.addEventListener("click", () => show([...words, text]));
      return element("li", {}, button);
    });
    return buttons.length === 0 ? [] : [element("h3", {}, title), element("ul", {}, ...buttons)];
  };
  const rest = ahead.filter((word) => !here.some((other) => other.word === word.word || other.event === word.event));
  byId("words").replaceChildren(...group(headings[place], here), ...group(headings.attempt, rest));
}

function drawNow(run, wrong) {
  const place = placeOf(run);
  const text = place === "reported" ? "The call has been reported. Go back a step, or start over."
    : "The machine is in " + place + (place === "attempt" ? ", try " + run.tries + " of at most " + machine.tries : "") + ". What happens?";
  byId("now").textContent = wrong === undefined ? text
    : "'" + wrong + "' can't follow here, or is not worked out on this page: the run stops before it. " + text;
  byId("now").classList.toggle("wrong", wrong !== undefined);
}

function draw(wanted) {
  const { run, used } = walk(wanted);
  words = wanted.slice(0, used);
  drawNow(run, wanted[used]);
  drawWords(run);
  drawSteps(run);
  drawLine(run);
  drawEnd(run);
  drawShare(run);
  drawDiagram(run);
  byId("back").disabled = words.length === 0;
  byId("restart").disabled = words.length === 0;
  byId("settings").disabled = run.report !== undefined;
}

function wantedWords() {
  const list = decodeURIComponent(location.hash.replace(/^#run=?/, ""));
  return list === "" ? [] : list.split(",").slice(0, 2 * machine.tries + 4);
}

// Whoever goes by keyboard goes on where the machine goes on.
function follow() {
  const inside = byId("simulator").contains(document.activeElement) || document.activeElement === document.body;
  if (inside) (document.querySelector("#words button") || byId("back")).focus({ preventScroll: true });
}

function changed() {
  if (!/^#run(=|$)/.test(location.hash)) return; // a link to somewhere on the page: the run stays
  draw(wantedWords());
  follow();
}

function begin() {
  for (const delay of machine.delays.filter((one) => one.offered)) {
    byId("delay").append(element("option", { value: delay.word }, delay.text));
  }
  for (const example of machine.examples) {
    byId("example").append(element("option", { value: example.words.replaceAll(" ", "") }, example.id + ": " + example.words));
  }
  byId("machine-view").hidden = false;
  byId("back").addEventListener("click", () => show(words.slice(0, -1)));
  byId("restart").addEventListener("click", () => show([]));
  byId("play").addEventListener("click", () => show(byId("example").value.split(",")));
  byId("play").disabled = byId("example").disabled = machine.examples.length === 0;
  for (const id of ["safe", "no-time", "delay"]) byId(id).addEventListener("change", () => drawWords(walk(words).run));
  for (const link of document.querySelectorAll("a.run")) {
    link.addEventListener("click", () => byId("simulator").scrollIntoView());
  }
  window.addEventListener("hashchange", changed);
  draw(/^#run=/.test(location.hash) ? wantedWords() : []);
}

begin();
