// The timeline of a replay or a trace, from the key `timeline` of a document (replay/timeline/packed_timeline.h):
// a row for each task, messages as lines between rows, the critical path over them.
//
// Rows are drawn as pixels: each has the mixture of the colours of what its tasks do in its time, so a frame
// costs as much as there are calls in view, however many share a pixel. Lines are drawn over them; of more
// messages than can be told apart, a part.
"use strict";
// Reads variable-length integers (common/report/packed.h); signed() those of both signs.
const unpacker = (text) => {
  const source = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  let next = 0;
  const read = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = source[next++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  return { read, signed: () => { const value = read(); return value % 2 ? -(value + 1) / 2 : value / 2; }, ended: () => next === source.length };
};

// Okabe and Ito, "Color universal design", 2008; computation and what is left out are pale.
const timeline_colours = { computation: "#dfe4ea", send: "#0072b2", receive: "#56b4e9", wait: "#e69f00", collective: "#009e73", "one-sided": "#cc79a7",
  "other call": "#7f7f7f", outside: "#b8a13a", "left out": "#ffffff" };
const path_colour = "#d00000";

const decode_timeline = (doc) => {
  const rows = doc.rows.length, many = doc.resolution_ns > 0, source = unpacker(doc.packed);
  const n = doc.blocks, reals = () => new Float64Array(n), whole = () => new Int32Array(n);
  const to = { rows, many, first: new Uint32Array(rows + 1), begins: new Float64Array(rows), ends: new Float64Array(rows),
    begin: reals(), end: reals(), name: new Uint16Array(n), peer: whole(), bytes: reals(), waiting: reals(), text: whole(), calls: whole(), idle: reals() };
  for (let row = 0, i = 0; row < rows; row++) {
    const stop = i + source.read();
    let now = to.begins[row] = source.read();
    for (; i < stop; i++) {
      to.begin[i] = now += source.read();
      to.end[i] = now += source.read();
      to.name[i] = source.read();
      to.peer[i] = source.read() - 1;
      to.bytes[i] = source.read();
      to.waiting[i] = source.read();
      to.text[i] = source.read() - 1;
      to.calls[i] = many ? source.read() : 1;
      to.idle[i] = many ? source.read() : 0;
    }
    to.first[row + 1] = i;
    to.ends[row] = now + source.read();
  }
  const m = doc.messages_shown, arrows = unpacker(doc.arrows);
  to.messages = { count: m, from: new Uint32Array(m), to: new Uint32Array(m), begin: new Float64Array(m), end: new Float64Array(m), bytes: new Float64Array(m), longest: 0 };
  for (let i = 0, now = 0; i < m; i++) {
    to.messages.begin[i] = now += arrows.read();
    to.messages.from[i] = arrows.read();
    to.messages.to[i] = arrows.read();
    const length = arrows.signed();
    to.messages.end[i] = now + length;
    to.messages.bytes[i] = arrows.read();
    to.messages.longest = Math.max(to.messages.longest, Math.abs(length));
  }
  to.path = [];
  for (let i = 0, now = 0, path = doc.path ? unpacker(doc.path) : null; i < (doc.path_shown || 0); i++) {
    const end = i ? now - path.read() : path.read();
    now = end - path.read();
    const row = path.read() - 1, from = path.read() - 1;
    to.path.push({ begin: now, end, row, from: from < 0 ? row : from, message: from >= 0, cause: doc.causes[path.read()] });
  }
  to.path.reverse();
  to.whole = source.ended() && arrows.ended();
  return to;
};

// `tools`: make, charts and the formats of page.js.
const draw_timeline = (doc, { make, charts, time, bytes, number }) => {
  const data = decode_timeline(doc), groups = doc.names.map((row) => row.group);
  const known = (group) => timeline_colours[group] || timeline_colours["other call"];
  const rgb = (text) => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16));
  const base = rgb(timeline_colours.computation), shifts = Float32Array.from(groups.flatMap((group) => rgb(known(group)).map((part, i) => part - base[i])));
  const end = Math.max(doc.end_ns, 1), LEAST_SPAN = 10, FEWEST_ROWS = Math.min(4, data.rows);
  const view = { from: 0, to: end, top: 0, bottom: data.rows };
  const shown = { messages: true, path: true };

  const canvas = make("canvas", { tabindex: "0", role: "img", "aria-label": `Timeline of ${data.rows} tasks: ${number(doc.calls)} calls, ${number(doc.messages)} messages. Arrows move, plus and minus zoom in time, Shift with arrows up and down zooms in tasks, 0 shows all. The numbers are in the tables below.` });
  const tip = make("div", { class: "tip", hidden: "" });
  const place = make("div", { class: "timeline" }, canvas, tip);
  const note = make("p", { class: "readout", "aria-live": "polite" }, " ");
  const ctx = canvas.getContext("2d");
  let wide = 0, high = 0, ratio = 1, left = 64, asked = 0, settled = 0, image = null, drawn = [];
  const FOOT = 26, ROUGH = 300, FINE = 1000;

  const first_after = (list, low, high, value) => { // the first place whose number is greater
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] > value) high = middle; else low = middle + 1;
    }
    return low;
  };
  const x_of = (ns) => (ns - view.from) / (view.to - view.from) * (wide - left);
  const y_of = (row) => (row - view.top) / (view.bottom - view.top) * (high - FOOT);

  // ---- rows ----

  // Adds what a row does in each column to `sum`: by how much red, green and blue differ from those of
  // computation, and the share of the column in which the row has time at all.
  const add_row = (row, sum, columns) => {
    const scale = columns / (view.to - view.from), { from } = view, { begin, end: ends, name, idle, many } = data, stop = data.first[row + 1];
    const add = (x0, x1, red, green, blue, known) => {
      for (let x = Math.floor(x0); x < x1; x++) {
        const part = Math.min(x + 1, x1) - Math.max(x, x0), at = 4 * x;
        sum[at] += part * red;
        sum[at + 1] += part * green;
        sum[at + 2] += part * blue;
        sum[at + 3] += part * known;
      }
    };
    add(Math.max(0, (data.begins[row] - from) * scale), Math.min(columns, (data.ends[row] - from) * scale), 0, 0, 0, 1);
    for (let i = first_after(ends, data.first[row], stop, from); i < stop; i++) {
      const start = begin[i], length = ends[i] - start;
      let x0 = (start - from) * scale, x1 = x0 + length * scale;
      if (x0 >= columns) break;
      if (x0 < 0) x0 = 0;
      if (x1 > columns) x1 = columns;
      const busy = many && length > 0 ? 1 - idle[i] / length : 1, of = 3 * name[i];
      const x = x0 | 0;
      if (x1 > x + 1) add(x0, x1, busy * shifts[of], busy * shifts[of + 1], busy * shifts[of + 2], 0);
      else {
        const part = busy * (x1 - x0), at = 4 * x;
        sum[at] += part * shifts[of];
        sum[at + 1] += part * shifts[of + 1];
        sum[at + 2] += part * shifts[of + 2];
      }
    }
  };

  const draw_rows = (rough) => {
    const columns = Math.round((wide - left) * ratio), lines = Math.round((high - FOOT) * ratio);
    if (!image || image.width !== columns || image.height !== lines) image = ctx.createImageData(columns, lines);
    const pixels = new Uint32Array(image.data.buffer), sum = new Float32Array(4 * columns), tall = lines / (view.bottom - view.top);
    const [red, green, blue] = base;
    for (let y = 0, row; y < lines; ) {
      row = Math.min(data.rows - 1, Math.floor(view.top + (y + 0.5) / tall));
      const next = Math.max(y + 1, Math.min(lines, Math.round((row + 1 - view.top) * tall)));
      const until = rough ? row + 1 : Math.max(row + 1, Math.min(data.rows, Math.floor(view.top + (y + 1.5) / tall))); // rows of this line
      sum.fill(0);
      for (; row < until; row++) add_row(row, sum, columns);
      for (let x = 0, at = 0; x < columns; x++, at += 4) {
        const part = 1 / sum[at + 3];
        pixels[y * columns + x] = part === Infinity ? 0xffffffff
          : 0xff000000 | (blue + sum[at + 2] * part) << 16 | (green + sum[at + 1] * part) << 8 | (red + sum[at] * part);
      }
      const gap = tall >= 6 * ratio ? Math.ceil(ratio) : 0;
      for (let copy = y + 1; copy < next - gap; copy++) pixels.copyWithin(copy * columns, y * columns, (y + 1) * columns);
      pixels.fill(0xffffffff, (next - gap) * columns, next * columns);
      y = next;
    }
    ctx.putImageData(image, Math.round(left * ratio), 0);
  };

  // ---- lines ----

  const draw_messages = (most) => {
    const { begin, end: ends, from, to, longest, count } = data.messages, seen = [];
    drawn = [];
    const inside = (i) => Math.max(begin[i], ends[i]) >= view.from && Math.min(begin[i], ends[i]) <= view.to &&
      Math.max(from[i], to[i]) >= view.top - 1 && Math.min(from[i], to[i]) < view.bottom;
    for (let i = first_after(begin, 0, count, view.from - longest - 1); i < count && begin[i] <= view.to + longest; i++) if (inside(i)) seen.push(i);
    const step = Math.max(1, Math.ceil(seen.length / most));
    ctx.strokeStyle = step > 1 ? "#00000050" : "#000000a0";
    ctx.lineWidth = 1;
    ctx.beginPath();
    for (let k = 0; k < seen.length; k += step) {
      const i = seen[k], line = [i, x_of(begin[i]), y_of(from[i] + 0.5), x_of(ends[i]), y_of(to[i] + 0.5)];
      drawn.push(line);
      ctx.moveTo(line[1], line[2]);
      ctx.lineTo(line[3], line[4]);
    }
    ctx.stroke();
    return step > 1 ? `1 of ${number(step)} messages in view is drawn` : "";
  };

  // At most two points in a column, however many pieces are in it.
  const draw_path = () => {
    const points = [];
    let column = null;
    const add = (x, row) => {
      const y = y_of(row + 0.5), at = Math.round(x * 2);
      if (column && column.at === at) {
        column.low = Math.min(column.low, y);
        column.high = Math.max(column.high, y);
        column.last = y;
      } else points.push(column = { at, x, first: y, low: y, high: y, last: y });
    };
    for (const piece of data.path)
      if (piece.end >= view.from && piece.begin <= view.to && piece.row >= 0) {
        add(x_of(piece.begin), piece.from);
        add(x_of(piece.end), piece.row);
      }
    for (const [colour, width] of [["#ffffff", 5], [path_colour, 2.5]]) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width;
      ctx.beginPath();
      points.forEach((at, i) => {
        if (i) ctx.lineTo(at.x, at.first); else ctx.moveTo(at.x, at.first);
        for (const y of [at.low, at.high, at.last]) if (at.low < at.high) ctx.lineTo(at.x, y);
      });
      ctx.stroke();
    }
  };

  // ---- axes ----

  const draw_axes = () => {
    const span = view.to - view.from, unit = 10 ** Math.floor(Math.log10(span * 90 / (wide - left)));
    const step = [1, 2, 5, 10].map((times) => times * unit).find((length) => length / span * (wide - left) >= 80) || 10 * unit;
    const [size, name] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]].find(([least]) => view.to >= least) || [1, "ns"];
    const digits = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
    ctx.fillStyle = "#1a1a1a";
    ctx.strokeStyle = "#aab2bb";
    ctx.lineWidth = 1;
    ctx.font = "12px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    ctx.beginPath();
    for (let tick = Math.ceil(view.from / step) * step; tick <= view.to; tick += step) {
      const x = left + x_of(tick);
      ctx.moveTo(x, high - FOOT);
      ctx.lineTo(x, high - FOOT + 4);
      if (x < wide - 20) ctx.fillText(`${(tick / size).toFixed(digits)} ${name}`, Math.max(x, left), high - FOOT + 7);
    }
    ctx.stroke();
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const rows = view.bottom - view.top, every = [1, 2, 4, 8, 16, 32, 64].map((s) => s * Math.max(1, 4 ** Math.floor(Math.log2(rows / 1024) / 2)))
      .find((count) => count * (high - FOOT) / rows >= 14) || rows;
    for (let row = Math.ceil(view.top / every) * every, last = -20; row < view.bottom; row += every) {
      const y = Math.min(high - FOOT - 6, Math.max(7, y_of(row + 0.5)));
      if (y - last >= 13) ctx.fillText(left < 60 ? doc.rows[row].replace("task ", "") : doc.rows[row], left - 6, last = y);
    }
  };

  const draw = () => {
    asked = 0;
    if (!wide) return;
    const rough = performance.now() < settled;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    draw_rows(rough);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, 0, wide - left, high - FOOT);
    ctx.clip();
    ctx.translate(left, 0);
    const part = shown.messages ? draw_messages(rough ? ROUGH : FINE) : "";
    if (shown.path) draw_path();
    ctx.restore();
    draw_axes();
    note.textContent = [`${time(view.from)} to ${time(view.to)}`, view.bottom - view.top < data.rows ? `${doc.rows[Math.floor(view.top)]} to ${doc.rows[Math.min(data.rows, Math.ceil(view.bottom)) - 1]}` : "", part].filter(Boolean).join("; ");
    if (rough) setTimeout(ask, settled - performance.now() + 1);
  };
  const ask = () => { if (!asked) asked = requestAnimationFrame(draw); };

  // ---- moving ----

  const fit = (low, size, least, most) => { // an interval of so long inside 0 to `most`
    const length = Math.min(most, Math.max(least, size)), from = Math.min(most - length, Math.max(0, low));
    return [from, from + length];
  };
  const change = (from, span, top, rows) => {
    [view.from, view.to] = fit(from, span, LEAST_SPAN, end);
    [view.top, view.bottom] = fit(top, rows, FEWEST_ROWS, data.rows);
    settled = performance.now() + 150;
    tip.hidden = true;
    ask();
  };
  const span = () => view.to - view.from, count = () => view.bottom - view.top;
  // Around shares of the width and the height.
  const zoom = (times, rows_times, across = 0.5, down = 0.5) => change(view.from + across * span() * (1 - 1 / times), span() / times,
    view.top + down * count() * (1 - 1 / rows_times), count() / rows_times);
  const move = (across, down) => change(view.from + across * span(), span(), view.top + down * count(), count());
  const share = (event) => {
    const box = canvas.getBoundingClientRect();
    return [(event.clientX - box.left - left) / (wide - left), (event.clientY - box.top) / (high - FOOT)];
  };

  canvas.addEventListener("wheel", (event) => {
    if (document.activeElement !== canvas && !event.ctrlKey && !event.shiftKey) return; // the page scrolls
    event.preventDefault();
    const times = 1.0015 ** -(event.deltaY || event.deltaX), [across, down] = share(event);
    if (event.shiftKey) zoom(1, times, across, down); else zoom(times, 1, across, down);
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const keys = { ArrowLeft: () => move(-0.15, 0), ArrowRight: () => move(0.15, 0), "+": () => zoom(1.5, 1), "=": () => zoom(1.5, 1), "-": () => zoom(1 / 1.5, 1),
      ArrowUp: () => event.shiftKey ? zoom(1, 1.5) : move(0, -0.15), ArrowDown: () => event.shiftKey ? zoom(1, 1 / 1.5) : move(0, 0.15), 0: () => change(0, end, 0, data.rows) };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  const fingers = new Map();
  const pinch = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, size: Math.max(20, Math.hypot(a[0] - b[0], (a[1] - b[1]) * (wide - left) / (high - FOOT))) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.setPointerCapture(event.pointerId);
  });
  const lift = (event) => fingers.delete(event.pointerId);
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) { point(event); return; }
    const pair = fingers.size === 2 ? pinch() : null;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    if (pair) {
      const now = pinch(), [across, down] = share({ clientX: now.x, clientY: now.y });
      zoom(now.size / pair.size, 1, across, down);
      move((pair.x - now.x) / (wide - left), 0);
    } else if (fingers.size === 1) {
      move((before[0] - event.clientX) / (wide - left), event.pointerType === "mouse" ? (before[1] - event.clientY) / (high - FOOT) : 0);
    }
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("dblclick", (event) => zoom(4, 1, ...share(event)));

  // ---- what is under the pointer ----

  // The block at a time, or the nearest one within `near`; -1: none.
  const block_at = (row, ns, near) => {
    const stop = data.first[row + 1], i = first_after(data.end, data.first[row], stop, ns - near);
    return i < stop && data.begin[i] <= ns + near ? i : -1;
  };
  const said = (i) => {
    const length = data.end[i] - data.begin[i], { name } = doc.names[data.name[i]], group = groups[data.name[i]];
    if (data.calls[i] > 1) return [`${number(data.calls[i])} calls, the longest ${name}: ${time(length)} from ${time(data.begin[i])}`, `in them ${time(length - data.idle[i])}, ${bytes(data.bytes[i])}`];
    return [`${name}: ${time(length)} from ${time(data.begin[i])}`, data.peer[i] >= 0 ? `${group === "collective" ? "root" : group === "receive" ? "from task" : "to task"} ${data.peer[i]}` : "",
      data.bytes[i] ? bytes(data.bytes[i]) : "", data.waiting[i] ? `the other side was not ready for ${time(data.waiting[i])}` : "", data.text[i] >= 0 ? doc.names[data.text[i]].name : ""];
  };
  const point = (event) => {
    const [across, down] = share(event), ns = view.from + across * span(), row = Math.floor(view.top + down * count());
    tip.hidden = across < 0 || across > 1 || row < 0 || row >= data.rows || down > 1;
    if (tip.hidden) return;
    const near = 2 * span() / (wide - left), i = block_at(row, ns, near), x = across * (wide - left), y = down * (high - FOOT);
    const line = drawn.find(([, x0, y0, x1, y1]) => {
      const long = Math.hypot(x1 - x0, y1 - y0) || 1, along = Math.min(1, Math.max(0, ((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / long / long));
      return Math.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0)) < 3;
    });
    const piece = shown.path ? data.path.find((one) => one.begin <= ns && ns <= one.end && (Math.abs(one.row - row) < 1 || Math.abs(one.from - row) < 1)) : null;
    const outside = ns < data.begins[row] || ns > data.ends[row], m = data.messages, texts = [[doc.rows[row],
      ...(i >= 0 ? said(i) : [outside ? "" : `computation at ${time(ns)}`])].filter(Boolean).join(", ")];
    if (line) texts.push(`Message: ${doc.rows[m.from[line[0]]]} to ${doc.rows[m.to[line[0]]]}, ${m.bytes[line[0]] ? bytes(m.bytes[line[0]]) + ", " : ""}sent at ${time(m.begin[line[0]])}, under way ${time(m.end[line[0]] - m.begin[line[0]])}`);
    if (piece) texts.push(`Critical path: ${piece.cause}, ${time(piece.end - piece.begin)}${piece.message ? `, by a message from ${doc.rows[piece.from]}` : ""}`);
    tip.replaceChildren(...texts.map((text) => make("div", {}, text)));
    tip.style.left = `${Math.max(0, Math.min(left + x + 12, wide - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 14}px`;
  };

  // ---- the figure ----

  const button = (text, name, act) => {
    const made = make("button", { type: "button", class: "more", "aria-label": name, title: name }, text);
    made.addEventListener("click", act);
    return made;
  };
  const box = (name, key) => {
    const input = make("input", { type: "checkbox", checked: "" });
    input.addEventListener("change", () => { shown[key] = input.checked; ask(); });
    return make("label", {}, input, ` ${name}`);
  };
  const key = (name, colour) => {
    const patch = make("span", { class: "patch", "aria-hidden": "true" });
    patch.style.background = colour;
    return make("li", {}, patch, name);
  };
  const used = Object.keys(timeline_colours).filter((group) => group === "computation" || groups.some((one) => one === group));
  const sampled = [doc.resolution_ns ? `Sampled: ${number(doc.calls)} calls are shown as ${number(doc.blocks)} blocks of up to ${time(doc.resolution_ns)}, which sum up neighbours.` : "",
    doc.messages_shown < doc.messages ? `${number(doc.messages_shown)} of ${number(doc.messages)} messages are in the page.` : "",
    doc.path_shown < doc.path_pieces ? `Of the critical path ${number(doc.path_shown)} of ${number(doc.path_pieces)} pieces are in the page, those of at least ${time(doc.path_shortest_ns)}.` : "", doc.notes].filter(Boolean).join(" ");
  charts.push(() => {
    const resize = () => {
      const width = Math.floor(place.clientWidth);
      if (!width || width === wide) return;
      ratio = Math.min(2, window.devicePixelRatio || 1);
      wide = width;
      left = width < 500 ? 38 : 70;
      high = FOOT + Math.min(width < 500 ? 360 : 520, Math.max(60, 18 * data.rows));
      canvas.width = Math.round(wide * ratio);
      canvas.height = Math.round(high * ratio);
      canvas.style.height = `${high}px`;
      draw();
    };
    new ResizeObserver(resize).observe(place);
    resize();
  });
  return make("figure", { class: "whole", "data-blocks": data.whole ? data.first[data.rows] : -1, "data-messages": data.messages.count, "data-path": data.path.length },
    make("figcaption", {}, "Timeline of tasks and messages"),
    make("div", { class: "tools" }, button("−", "Zoom out", () => zoom(1 / 2, 1)), button("+", "Zoom in", () => zoom(2, 1)),
      button("Fewer tasks", "Show fewer tasks", () => zoom(1, 2)), button("More tasks", "Show more tasks", () => zoom(1, 1 / 2)), button("All", "Show all", () => change(0, end, 0, data.rows)),
      box("Messages", "messages"), data.path.length ? box("Critical path", "path") : null),
    place, note,
    make("ul", { class: "keys" }, ...used.map((group) => key(group === "other call" ? "other calls" : group, timeline_colours[group])), key("messages", "#555"), data.path.length ? key("critical path", path_colour) : null),
    make("p", { class: "note" }, "Drag to move. After a click the wheel zooms in time, with Shift in tasks; keys: arrows, +, −, 0. Pixels that several calls or tasks share mix their colours."),
    sampled ? make("p", { class: "note" }, sampled) : null);
};
