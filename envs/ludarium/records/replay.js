"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const last = data.frames.length - 1;
  const buttons = [];
  const ends = [0]; // the positions between whole turns
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let now = 0, side = 0, timer = null, writing = null;

  // ---- the list of turns

  for (const turn of data.turns) {
    const line = document.createElement("li"), number = document.createElement("span");
    number.textContent = turn.number;
    line.append(number);
    if (turn.player !== null) {
      const disc = document.createElement("i");
      if (data.colours[turn.player]) disc.style.background = data.colours[turn.player];
      disc.title = data.players[turn.player];
      line.append(disc);
    }
    for (const [frame, text] of turn.actions) {
      const button = document.createElement("button");
      button.textContent = text;
      if (turn.player !== null) {
        button.setAttribute("aria-label", `Turn ${turn.number}, ${data.players[turn.player]}: ${text}`);
      }
      button.addEventListener("click", () => go(frame));
      buttons[frame] = button;
      line.append(button);
    }
    ends.push(turn.actions[turn.actions.length - 1][0]);
    at("list").append(line);
  }
  const ending = document.createElement("li");
  ending.id = "ending";
  ending.textContent = data.result;
  at("list").append(ending);

  // ---- a position

  function show(frame) {
    now = Math.max(0, Math.min(last, frame));
    at("pieces").innerHTML = data[side ? "turned" : "frames"][now].map((k) => data.shapes[k]).join("");
    at("board").setAttribute("aria-label", `${data.game}: ${data.status[now]}`);
    at("position").textContent = data.positions[now];
    at("position").className = "";
    at("status").textContent = data.status[now];
    at("slider").value = now;
    at("slider").setAttribute("aria-valuetext", data.status[now]);
    for (const id of ["start", "back", "back-turn"]) at(id).disabled = now === 0;
    for (const id of ["end", "on", "on-turn"]) at(id).disabled = now === last;
    for (const button of buttons) if (button) button.removeAttribute("aria-current");
    const list = at("list"), button = buttons[now];
    if (button) {
      button.setAttribute("aria-current", "step");
      const top = button.parentElement.offsetTop, height = button.parentElement.offsetHeight;
      if (top < list.scrollTop) list.scrollTop = top - height;
      const below = now === last ? list.scrollHeight : top + 2 * height;
      if (below > list.scrollTop + list.clientHeight) list.scrollTop = below - list.clientHeight;
    } else list.scrollTop = 0;
    if (now === last) stop();
  }
  function flip() {
    side = 1 - side;
    at("ground").innerHTML = data.ground[side];
    at("flip").setAttribute("aria-pressed", String(side === 1));
    show(now);
  }
  const turnOn = () => ends.find((end) => end > now) ?? last;
  const turnBack = () => ends.filter((end) => end < now).pop() ?? 0;

  // ---- the address: #turn=12 is the position after turn 12

  function write() { // seldom: browsers refuse many changes of the address in a short time
    writing ??= setTimeout(() => {
      writing = null;
      try {
        history.replaceState(null, "", "#" + data.addresses[now]);
      } catch { /* a page in a frame may have no address */ }
    }, 350);
  }
  function read() {
    const wanted = location.hash.slice(1);
    let frame = data.addresses.indexOf(wanted);
    const number = /^turn=(\d+)/.exec(wanted);
    if (frame < 0 && number) { // a turn that the page does not have: the nearest one
      const known = data.addresses.map((address) => parseInt(address.slice(5), 10));
      frame = Math.max(0, known.findLastIndex((turn) => turn <= Number(number[1])));
    }
    if (frame >= 0) { stop(); show(frame); }
  }

  // ---- playing

  function stop() {
    clearTimeout(timer);
    timer = null;
    at("status").setAttribute("aria-live", "polite");
    at("play").textContent = "\u25B6\uFE0E play";
    at("play").setAttribute("aria-label", "Play");
  }
  function delay() {
    const chosen = Number(at("speed").value);
    return calm.matches ? Math.max(1000, chosen) : chosen;
  }
  function play() {
    if (timer !== null) return stop();
    if (now === last) show(0);
    at("status").setAttribute("aria-live", "off"); // a reader would not keep up
    at("play").textContent = "\u25A0\uFE0E stop";
    at("play").setAttribute("aria-label", "Stop");
    const tick = () => {
      show(now + 1);
      write();
      if (now < last) timer = setTimeout(tick, delay());
    };
    if (last) timer = setTimeout(tick, delay()); else stop();
  }

  // ---- theme, copying

  function theme() {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
  }
  async function copy() {
    const text = data.positions[now];
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch { // an older browser, or a page that may not
      const area = document.createElement("textarea"), focused = document.activeElement;
      area.value = text;
      area.style.cssText = "position: fixed; opacity: 0; top: 0; left: 0";
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      focused.focus({ preventScroll: true });
    }
    if (!done) { // select it, for the reader to copy
      at("position").className = "all";
      getSelection().selectAllChildren(at("position"));
    }
    at("copy").textContent = done ? "copied" : "selected";
    setTimeout(() => { at("copy").textContent = "copy"; }, 1500);
  }

  // ---- buttons and keys

  const go = (to) => { stop(); show(to); write(); };
  at("slider").max = last;
  const does = {
    start: () => go(0), "back-turn": () => go(turnBack()), back: () => go(now - 1), play,
    on: () => go(now + 1), "on-turn": () => go(turnOn()), end: () => go(last), flip, copy, theme,
  };
  for (const [id, act] of Object.entries(does)) at(id).addEventListener("click", act);
  at("slider").addEventListener("input", () => go(Number(at("slider").value)));
  // What was clicked with a mouse must not take the keys from "play" and the steps: only what was
  // reached with the keyboard keeps them (a click from the keyboard has no detail).
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (event.detail && button) button.blur();
  });
  at("slider").addEventListener("pointerup", () => at("slider").blur());
  let clicked = false;
  at("speed").addEventListener("pointerdown", () => { clicked = true; });
  at("speed").addEventListener("keydown", () => { clicked = false; });
  at("speed").addEventListener("change", () => { if (clicked) at("speed").blur(); });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const own = event.target.tagName, key = event.key;
    if (own === "SELECT" || (own === "INPUT" && /^(Arrow|Page|Home|End)/.test(key))) return;
    if (own === "BUTTON" && (key === " " || key === "Enter")) return;
    const id = {
      ArrowLeft: event.shiftKey ? "back" : "back-turn",
      ArrowRight: event.shiftKey ? "on" : "on-turn",
      Home: "start", End: "end", " ": "play", f: "flip", c: "copy", t: "theme",
    }[key.length === 1 ? key.toLowerCase() : key];
    if (!id) return;
    event.preventDefault();
    if (!event.repeat || /^Arrow/.test(key)) does[id]();
  });
  addEventListener("hashchange", read);
  show(0);
  read();
})();
