// The page of vef report: renders the documents in #inputs. A kind of input is a function of `kinds`.
// Texts of documents reach the page as text nodes only, so names with HTML are shown as they are.
"use strict";
(function () {
  // ---- elements ----

  const make = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  };

  // ---- values ----

  const number = (value, digits) => {
    if (!Number.isFinite(value)) return String(value);
    if (Number.isInteger(value)) return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
    const size = Math.abs(value);
    if (size >= 1000 && size < 1e15) return number(Math.round(value));
    return size >= 1e15 || size < 1e-4 ? value.toExponential(2) : String(+value.toPrecision(digits || 4));
  };
  const scaled = (value, steps) => {
    if (value === 0) return "0";
    const [size, unit] = steps.find(([least]) => Math.abs(value) >= least) || steps[steps.length - 1];
    return `${number(+(value / size).toPrecision(4))} ${unit}`;
  };
  const time = (ns) => scaled(ns, [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]]);
  const bytes = (count) => scaled(count, [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [1024, "KiB"], [1, "B"]]);
  const percent = (share) => `${number(+(100 * share).toPrecision(3))} %`;

  const shares = /^(link_utilization.*|load_balance|communication|parallel|share|utilization.*|waiting|communicating|busiest|confidence_level)$/;
  // A value as people read it, by the unit at the end of its key.
  const show = (key, value) => {
    if (value === null || value === undefined || value === "") return "–";
    if (Array.isArray(value)) return value.map((item) => show(key, item)).join(", ") || "–";
    if (typeof value === "object") return Object.entries(value).map(([name, item]) => `${label(name)} ${show(name, item)}`).join(", ");
    if (typeof value !== "number") return String(value);
    if (/_ns(_mean)?$/.test(key)) return time(value);
    if (/(^|_)bytes$/.test(key)) return bytes(value);
    if (/bytes_per_s$/.test(key)) return scaled(value, [[1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"], [1, "B/s"]]);
    if (shares.test(key) && value <= 1.5) return percent(value);
    return number(value);
  };
  const words = { mpi: "MPI", io: "I/O", p99: "99th percentile", p999: "99.9th percentile" };
  const label = (key) => key.replace(/_ns(?=$|_mean$)/, "").replace(/_cycles$/, " (cycles)").replace(/_w$/, " (W)").split(/[_ ]/)
    .map((word) => words[word] || word).join(" ").replace(/^./, (first) => first.toUpperCase());

  // ---- parts of a section ----

  const facts = (pairs) => make("dl", { class: "facts" }, ...pairs.filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));

  const warning = (text) => make("p", { class: "warning", role: "note" }, text);

  const download = (text, name, type = "text/plain") => make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name }, `Save as ${name}`);

  const fold = (title, ...children) => make("details", {}, make("summary", {}, title), ...children);

  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === null || a === undefined || a === "") return 1;
    if (b === null || b === undefined || b === "") return -1;
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  };

  const cell = (text, numeric) => make("td", numeric ? { class: "number" } : text.length <= 40 ? { class: "short" } : { class: "long" }, text);

  const ROWS = 100; // shown at first
  // A table of maps; its heads are buttons that sort.
  const table = (title, rows, columns) => {
    const given = new Set(rows.flatMap((row) => Object.keys(row)));
    const keys = columns || [...given].filter((key) => !given.has(key.replace(/_cycles$/, "_ns")) || !/_cycles$/.test(key)) // one unit
      .filter((key) => !rows.some((row) => typeof row[key] === "object" && row[key] !== null && !(Array.isArray(row[key]) && row[key].every((item) => typeof item !== "object"))));
    if (!rows.length || !keys.length) return null;
    const numeric = new Set(keys.filter((key) => rows.some((row) => typeof row[key] === "number")));
    const body = make("tbody"), heads = [], more = make("button", { type: "button", class: "more" });
    let order = rows, sorted = null, falling = false, shown = ROWS;
    const fill = () => {
      body.replaceChildren(...order.slice(0, shown).map((row) => make("tr", {}, ...keys.map((key) =>
        cell(show(key, row[key]), numeric.has(key))))));
      more.hidden = order.length <= shown;
      more.textContent = `Show all ${number(order.length)} rows`;
    };
    more.addEventListener("click", () => { shown = Infinity; fill(); });
    const sort = (key) => {
      falling = sorted === key ? !falling : numeric.has(key);
      sorted = key;
      const known = (row) => row[key] !== null && row[key] !== undefined && row[key] !== "";
      order = [...rows].sort((a, b) => known(a) && known(b) && falling ? compare(b[key], a[key]) : compare(a[key], b[key]));
      heads.forEach(([head, of, mark]) => {
        const here = of === key;
        head.setAttribute("aria-sort", here ? (falling ? "descending" : "ascending") : "none");
        mark.textContent = here ? (falling ? " ▾" : " ▴") : "";
      });
      fill();
    };
    const head = keys.map((key) => {
      const mark = make("span", { "aria-hidden": "true" });
      const button = make("button", { type: "button" }, label(key), mark);
      button.addEventListener("click", () => sort(key));
      const cell = make("th", { scope: "col", "aria-sort": "none" }, button);
      if (numeric.has(key)) cell.className = "number";
      heads.push([cell, key, mark]);
      return cell;
    });
    fill();
    const scroll = make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": title },
      make("table", {}, make("thead", {}, make("tr", {}, ...head)), body));
    return make("section", {}, make("h3", {}, title), scroll, more);
  };

  // ---- charts (uPlot) ----

  // Okabe and Ito, "Color universal design", 2008; dashes and markers tell the same.
  const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#7a6a00"];
  const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 4], [2, 6], [8, 2, 2, 2, 2, 2]];
  const charts = [];

  const key = (name, i, filled) => {
    const drawing = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const shape = document.createElementNS("http://www.w3.org/2000/svg", filled ? "rect" : "line");
    const set = (values) => Object.entries(values).forEach(([of, value]) => shape.setAttribute(of, value));
    for (const [of, value] of [["width", filled ? 16 : 34], ["height", 12], ["aria-hidden", "true"]]) drawing.setAttribute(of, value);
    if (filled) set({ width: 16, height: 12, fill: colours[i % 8] });
    else set({ x1: 0, x2: 34, y1: 6, y2: 6, stroke: colours[i % 8], "stroke-width": 2.5, "stroke-dasharray": dashes[i % 8].join(" ") });
    drawing.append(shape);
    return make("li", {}, drawing, name);
  };

  // Draws when the figure is in the page, and again when its width changes.
  const figure = (title, height, names, filled, build) => {
    const place = make("div", { role: "img", "aria-label": `${title}; the numbers are in the tables below` });
    const readout = make("p", { class: "readout", "aria-hidden": "true" }, " ");
    charts.push(() => {
      let plot = null;
      const draw = () => {
        const width = Math.floor(place.clientWidth);
        if (!width || (plot && plot.width === width)) return;
        if (plot) plot.setSize({ width, height });
        else plot = build(width, height, place, readout);
      };
      new ResizeObserver(draw).observe(place);
      draw();
    });
    return make("figure", {}, make("figcaption", {}, title), place, readout,
      names.length > 1 ? make("ul", { class: "keys" }, ...names.map((name, i) => key(name, i, filled))) : null);
  };

  const axis = (text, format, more) => ({ label: text, labelSize: 22, labelFont: "13px system-ui, sans-serif", font: "12px system-ui, sans-serif",
    stroke: "#1a1a1a", grid: { stroke: "#e3e7eb", width: 1 }, ticks: { stroke: "#aab2bb", width: 1 },
    values: (_, splits) => splits.map((value) => value === null ? "" : format(value)), ...more });
  const across = { size: 34 };
  const upright = { size: (_, values) => 22 + 7 * Math.max(3, ...(values || []).map((text) => text.length)) };

  const reads = (readout, horizontal, names, formats) => ({ hooks: { setCursor: [(plot) => {
    const i = plot.cursor.idx;
    readout.textContent = i === null || i === undefined ? " " : `${horizontal(plot.data[0][i])}: ` + names.map((name, s) => {
      const value = formats.value ? formats.value(s, i) : plot.data[s + 1][i];
      return value === null || value === undefined ? null : `${name} ${formats.show(value)}`;
    }).filter(Boolean).join(", ");
  }] } });

  // Curves over one axis. `curves`: [{name, points: [[x, y]]}].
  const curves = (title, horizontal, vertical, list, options) => {
    const { format = number, most, reference, zero = true } = options || {};
    const drawn = list.filter((curve) => curve.points.some(([, y]) => Number.isFinite(y)));
    if (!drawn.length) return null;
    const xs = [...new Set(drawn.flatMap((curve) => curve.points.map(([x]) => x)))].sort((a, b) => a - b);
    const data = [xs, ...drawn.map((curve) => {
      const at = new Map(curve.points);
      return xs.map((x) => Number.isFinite(at.get(x)) ? at.get(x) : null);
    })];
    const names = drawn.map((curve) => curve.name);
    return figure(title, 300, names, false, (width, height, place, readout) => new uPlot({
      width, height, legend: { show: false }, scales: { x: { time: false, range: (_, least, greatest) => zero ? [Math.min(0, least), greatest || 1] : [least, greatest > least ? greatest : least + 1] },
        y: { range: (_, least, greatest) => [Math.min(0, least), (most ? Math.min(most, greatest) : greatest) * 1.05 || 1] } },
      series: [{}, ...drawn.map((curve, i) => ({ label: curve.name, stroke: colours[i % 8], width: 2.5, dash: dashes[i % 8], spanGaps: true,
        points: { show: xs.length <= 60, size: 7, fill: i % 2 ? "#fff" : colours[i % 8], stroke: colours[i % 8], width: 2 } }))],
      axes: [axis(horizontal, number, across), axis(vertical, format, upright)],
      cursor: { drag: { x: false, y: false } },
      hooks: { ...reads(readout, (x) => `${horizontal} ${number(x)}`, names, { show: format }).hooks,
        drawClear: reference ? [(plot) => { // y = x
          const end = Math.min(plot.scales.x.max, plot.scales.y.max);
          plot.ctx.save();
          plot.ctx.strokeStyle = "#9aa3ad";
          plot.ctx.setLineDash([4, 4]);
          plot.ctx.beginPath();
          plot.ctx.moveTo(plot.valToPos(0, "x", true), plot.valToPos(0, "y", true));
          plot.ctx.lineTo(plot.valToPos(end, "x", true), plot.valToPos(end, "y", true));
          plot.ctx.stroke();
          plot.ctx.restore();
        }] : [] },
    }, data, place));
  };

  // Stacked bars, one per name of `bars`. `parts`: [{name, values}].
  const stack = (title, horizontal, vertical, bars, list, options) => {
    const { format = number } = options || {};
    const parts = list.filter((part) => part.values.some((value) => value > 0));
    if (!parts.length || !bars.length) return null;
    const xs = bars.map((_, i) => i), tops = [];
    parts.forEach((part, p) => tops.push(part.values.map((value, i) => (p ? tops[p - 1][i] : 0) + (value || 0))));
    const names = parts.map((part) => part.name);
    const order = parts.map((_, p) => p).reverse(); // the highest first, lower ones over it
    const few = bars.length <= 12;
    return figure(title, 300, names, true, (width, height, place, readout) => new uPlot({
      width, height, legend: { show: false },
      scales: { x: { time: false, range: [-0.6, bars.length - 0.4] }, y: { range: (_, least, greatest) => [0, greatest * 1.05 || 1] } },
      series: [{}, ...order.map((p) => ({ label: names[p], fill: colours[p % 8], stroke: colours[p % 8], width: 0, points: { show: false },
        paths: uPlot.paths.bars({ size: [bars.length > 200 ? 1 : 0.8, 120], gap: 0 }) }))],
      axes: [axis(horizontal, String, { ...across, grid: { show: false },
        splits: few ? xs : undefined, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000],
        // A long name is cut to the room of its bar; the cursor and the tables have it.
        values: (plot, splits) => splits.map((i) => {
          const text = Number.isInteger(i) && bars[i] !== undefined ? String(bars[i]) : "", room = Math.max(4, Math.floor((plot.width - 70) / bars.length / 7));
          return few && text.length > room ? `${text.slice(0, room - 1)}…` : text;
        }) }),
      axis(vertical, format, upright)],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      ...reads(readout, (i) => `${horizontal} ${bars[i]}`, names, { show: format, value: (p, i) => parts[p].values[i] }),
    }, [xs, ...order.map((p) => tops[p])], place));
  };

  // What vef has drawn.
  const image_of = (svg, alt) => make("img", { alt, src: `data:image/svg+xml,${encodeURIComponent(svg)}` });
  const matrix = (svg) => svg ? make("figure", { class: "map" }, make("figcaption", {}, "Bytes sent from task to task"),
    image_of(svg, "Communication matrix: senders are rows, receivers columns, colours bytes. vef info --matrix has the numbers of messages."),
    make("p", { class: "note" }, "With the messages of collectives, by the algorithms that a replay uses unless told otherwise. ", download(svg, "matrix.svg", "image/svg+xml"))) : null;

  const charted = (...list) => {
    const made = list.filter(Boolean);
    return made.length ? make("div", { class: "charts" }, ...made) : null;
  };

  const timelined = (doc, lacking) => doc.timeline ? draw_timeline(doc.timeline, { make, charts, time, bytes, number }) : lacking ? make("p", { class: "note" }, lacking) : null;
  // ---- verdicts ----

  // A table of the differences to the best, darker for more; signs repeat what colours say.
  const heat = (title, rows, line, column, order, most) => {
    const unique = (of) => [...new Set([...order, ...rows].map(of))].filter((name) => rows.some((row) => of(row) === name)), columns = unique(column);
    const signs = { best: "★ best", equal: "= ", "equal within noise": "≈ " };
    const shown = (row) => {
      if (!row || typeof row.difference_percent !== "number") return make("td", { class: "number" }, "–");
      const share = most ? Math.abs(row.difference_percent) / most : 0, ranged = typeof row.low_percent === "number";
      const percents = (value) => `${value > 0 ? "+" : ""}${number(+value.toPrecision(3))}`;
      return make("td", { class: row.verdict === "best" ? "number best" : "number", style: `background: hsl(28 95% ${Math.round(100 - 38 * share)}%)`,
        title: `${show(row.measure, row.mean)}, ${row.verdict}, runs: ${row.repetitions}` },
        row.verdict === "best" ? signs.best : `${signs[row.verdict] || ""}${percents(row.difference_percent)} %${row.verdict === "incomplete" ? ", incomplete" : ""}`,
        make("small", {}, row.verdict === "best" ? show(row.measure, row.mean) : ranged ? `${percents(row.low_percent)} to ${percents(row.high_percent)}` : row.verdict.replace(/^worse \((.*)\)$/, "$1")));
    };
    return make("figure", { class: "heat" }, make("figcaption", {}, title), make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Differences: ${title}` },
      make("table", {}, make("thead", {}, make("tr", {}, make("td"), ...columns.map((name) => make("th", { scope: "col", class: "number" }, name)))),
        make("tbody", {}, ...unique(line).map((name) => make("tr", {}, make("th", { scope: "row" }, name),
          ...columns.map((at) => shown(rows.find((row) => line(row) === name && column(row) === at)))))))));
  };

  // The sentences, and tables of what was compared: the columns between `application` and `rank`.
  const verdicts = (rows, order) => {
    if (!rows || !rows.length) return [];
    const keys = Object.keys(rows[0]), axes = keys.slice(1, keys.length - 9), applications = [...new Set(rows.map((row) => row.application))];
    const most = Math.max(20, ...rows.map((row) => Math.abs(row.difference_percent) || 0));
    const last = (row) => String(row[axes[axes.length - 1]]), others = (row) => axes.slice(0, -1).map((of) => row[of]).join(", ");
    return [make("h3", {}, "Verdict"), ...rows.filter((row) => row.sentence).map((row) => make("p", { class: "verdict" },
        row.application === "" ? null : make("strong", {}, `${row.application}: `), `${row.sentence}.`)),
      make("div", { class: "charts" }, ...(axes.length > 1 ? applications.map((of) => heat(String(of) || axes.join(" and "), rows.filter((row) => row.application === of), others, last, order, most))
        : [heat(axes[0], rows, (row) => String(row.application ?? ""), last, order, most)])),
      make("p", { class: "note" }, `Difference to the best ${axes.join(", ")} in percent, with its interval, on one scale. ★ best, ≈ equal within noise (the interval includes 0), = the same value, – no value. The intervals of an application hold together with 95 %.`)];
  };

  // ---- kinds of documents ----

  const shell = (text) => /^[\w./:=,@%+-]+$/.test(text) ? text : `'${String(text).replace(/'/g, "'\\''")}'`;
  const network = (doc) => !doc.network.startsWith("{") ? base(doc.network) : (doc.configuration.topology || {}).family || doc.configuration.model;
  const base = (path) => String(path).split("/").pop().replace(/\.(yaml|vef|json)$/, "");

  // The rest of a document: its lists of maps that no section has shown, as tables.
  const others = (doc, taken) => Object.entries(doc)
    .filter(([name, value]) => !taken.includes(name) && Array.isArray(value) && value.length && value.every((row) => row && typeof row === "object"))
    .map(([name, value]) => fold(label(name), table(label(name), value)));

  const configured = (doc, name) => {
    if (!doc.configuration) return [];
    const text = JSON.stringify(doc.configuration, null, 2) + "\n";
    return [make("h3", {}, "Configuration"),
      make("p", { class: "note" }, "All keys, with their defaults. The file can be given as NET.yaml (JSON is YAML). ", download(text, name)),
      fold("Resolved configuration", make("pre", {}, text))];
  };
  const reproduced = (lines, remark) => [make("h3", {}, "How to reproduce"), make("pre", {}, lines.filter(Boolean).join("\n")), remark ? make("p", { class: "note" }, remark) : null];

  const warnings = (doc) => [...(doc.warnings || []), doc.missing, doc.trace_incomplete, doc.approximations && `Approximations: ${doc.approximations}`,
    doc.stalled && `Stalled (${doc.stalled}): ${doc.stall_text || ""}. The figures are those up to the stall.`].filter(Boolean).map(warning);

  // The causes of `vef replay --explain` in at most eight colours.
  const causes_drawn = [["computing", ["computing", "outside"]], ["late sender", ["late_sender"]], ["late receiver", ["late_receiver", "handshake"]],
    ["wait at collective", ["wait_at_collective"]], ["injection", ["injection"]], ["serialisation and latency", ["serialisation", "latency"]], ["contention", ["contention"]],
    ["overhead and other", ["overhead", "wait_at_window", "wait_in_task", "memory"]]];

  const explained = (doc, cycle_ns) => {
    const explain = doc.explain, links = doc.links || [];
    if (!explain) return [];
    const tasks = explain.tasks.map(({ task, causes, imbalance_ns, end_ns }) => ({ task, imbalance_ns, end_ns,
      ...Object.fromEntries(Object.entries(causes).map(([cause, cycles]) => [`${cause}_ns`, cycles * cycle_ns])) }));
    const what_if = (explain.what_if || []).map((row) => ({ machine: label(row.machine).toLowerCase(), predicted_ns: row.predicted_ns,
      faster_as_predicted: row.predicted_ns ? +(doc.time_ns / row.predicted_ns).toFixed(3) : null, simulated_ns: row.simulated_ns,
      faster_as_simulated: row.simulated_ns ? +(doc.time_ns / row.simulated_ns).toFixed(3) : null, ...(row.not_simulated ? { not_simulated: row.not_simulated } : {}) }));
    return [charted(stack("Time of each task, by cause", "Task", "time", tasks.map((row) => row.task), causes_drawn.map(([name, of]) => ({ name,
        values: tasks.map((row) => of.reduce((sum, cause) => sum + (row[`${cause}_ns`] || 0), 0)) })), { format: time })),
      table("Critical path, by cause", explain.critical_path), table("Calls on the critical path", explain.path_calls || []), table("Call sites on the critical path", explain.path_sites || []),
      table("Regions on the critical path", explain.path_regions || []), table("On other machines", what_if),
      table("Busiest links", links.map(({ link, utilization, phits, tasks: pairs }) => ({ link, utilization, phits,
        ...(pairs ? { tasks: pairs.map((pair) => `${pair.from} to ${pair.to}`).join(", ") } : {}) }))),
      table("Causes, by task", tasks)];
  };

  const sampled = ({ samples = [] }) => {
    const at = (key) => samples.map((row, i) => [(i ? samples[i - 1].end_ns + row.end_ns : row.end_ns) / 2 / 1e6, row[key]]);
    return curves("Utilization of links over time", "time (ms)", "utilization",
      [["busiest link", "utilization_max"], ["mean", "utilization_mean"]].map(([name, key]) => ({ name, points: at(key) })), { format: percent });
  };
  const samples = (doc) => doc.samples && doc.samples.length ? fold("Samples of links", table("Samples of links", doc.samples)) : null;

  // The heat map of links, which vef report has drawn, and its numbers.
  const heated = (links, of, { heat_map, heat_samples }, doc) => {
    if (!heat_map || !links.length) return null;
    const busiest = links.reduce((most, row) => row.utilization > most.utilization ? row : most);
    const words = `${number(links.length)} links; the busiest, from router ${busiest.router} to ${busiest.to}, is busy for ${percent(busiest.utilization)} of the time`;
    const image = image_of(heat_map, `Heat map: ${words}. The numbers are in the table Links.`);
    return make("figure", { class: "map" }, make("figcaption", {}, `How busy each link is${of}`),
      heat_samples ? draw_map(heat_samples, doc.samples, image, { make, charts, time, percent }) : image,
      make("p", { class: "note" }, `${words}. `, download(heat_map, "links.svg", "image/svg+xml")));
  };
  // Their table; `lacking` says how to get them.
  const linked = (links, { no_heat_map }, lacking) => [
    no_heat_map ? make("p", { class: "note" }, `No heat map of links was drawn: ${no_heat_map}.`) : null,
    links ? table("Links", [...links].sort((a, b) => b.utilization - a.utilization)) : lacking ? make("p", { class: "note" }, lacking) : null];

  const given = (doc) => Object.entries(doc.options).map(([name, value]) => value === true ? ` --${name}` : ` --${name} ${shell(value)}`).join("");
  const observed = (doc, links) => `${links ? " --per-link" : ""}${doc.samples && doc.samples.length ? ` --sample ${doc.samples[0].end_ns}ns` : ""}`;

  const kinds = {
    trace(doc, _, drawn) {
      const tasks = doc.per_task || [], calls = Object.entries(doc.call_details || {}).map(([call, details]) => ({ call, ...details }));
      const by = (name) => tasks.map((row) => row[name]);
      const sizes = doc.message_sizes || [];
      return { title: doc.application || "Trace", subtitle: `Trace of ${doc.command || doc.file}, ${doc.date || "date unknown"}`, parts: [
        ...warnings(doc),
        facts([["Tasks", number(doc.tasks)], ["Run time", time(doc.run_ns)], ["MPI calls", number(doc.mpi_calls)], ["Messages", number(doc.messages)],
          ["Bytes sent", bytes(doc.message_bytes)], ["Computing, all tasks", time(doc.compute_ns)], ["In MPI, all tasks", time(doc.mpi_ns)],
          ["Outside MPI, all tasks", doc.outside_ns ? time(doc.outside_ns) : null], ["Parallel efficiency", show("parallel", doc.efficiency.parallel)],
          ["Load balance", show("load_balance", doc.efficiency.load_balance)], ["Wildcard receives", number(doc.wildcard_receives)], ["Trace file", bytes(doc.file_bytes)]]),
        timelined(doc, "The timeline needs a trace with the times of its calls; vef replay --html shows that of a replay."),
        charted(
          stack("Time of each task", "Task", "time", by("task"), [{ name: "computing", values: by("compute_ns") }, { name: "in MPI", values: by("mpi_ns") }, { name: "outside MPI", values: by("outside_ns") }], { format: time }),
          stack("Sizes of messages", "From", "messages", sizes.map((row) => bytes(row.from_bytes)), [{ name: "messages", values: sizes.map((row) => row.messages) }]),
          matrix(drawn.heat_map)),
        doc.messages ? null : make("p", { class: "note" }, "The trace has no messages from task to task."),
        table("MPI calls", calls.map((row) => ({ call: row.call, calls: row.count, tasks: row.tasks, bytes: row.bytes, time_ns: row.time_ns, longest_ns: row.longest_ns }))),
        table("Longest waits", doc.longest_waits || []), table("Regions", doc.regions || []), table("Tasks", tasks),
        ...others(doc, ["per_task", "longest_waits", "regions", "measured", "timeline"]),
        make("h3", {}, "Capture"), facts([["MPI library", doc.library], ["Clock", doc.clock], ["Options", doc.options], ["Exit status", number(doc.exit_status)]]),
        ...reproduced([`vef capture -o ${shell(base(doc.file))}.vef ${doc.command || "COMMAND"}`, `vef info ${shell(doc.file)}`])] };
    },

    replay(doc, _, drawn) {
      const tasks = (doc.task || []).map((row, task) => ({ task, ...row }));
      const by = (name) => tasks.map((row) => row[name]);
      const causes = Object.keys(tasks[0] || {}).filter((name) => /_ns$/.test(name) && name !== "end_ns");
      const net = `${base(doc.trace)}.network.yaml`;
      const explain = doc.explain || {}, cycle_ns = doc.time_cycles ? doc.time_ns / doc.time_cycles : 0;
      return { title: `${base(doc.trace)} on ${network(doc)}`, subtitle: `Replay of ${doc.trace} on ${doc.network}, mapping ${doc.mapping}`, parts: [
        ...warnings(doc),
        facts([["Execution time", time(doc.time_ns)], ["Cycles", number(doc.time_cycles)], ["Tasks", number(doc.tasks)], ["Messages", number(doc.messages)],
          ["Bytes", bytes(doc.message_bytes)], ["Packets", doc.packets === undefined ? null : number(doc.packets)], ["Average hops", show("hops", doc.average_hops)],
          ["Packet latency, mean", time(doc.latency_mean_ns)], ["Packet latency, 99th percentile", time(doc.latency_p99_ns)],
          ["Busiest link", doc.busiest_link ? `${doc.busiest_link}: ${percent(doc.link_utilization_max)}` : null], ["Link utilization, mean", show("link_utilization_mean", doc.link_utilization_mean)]]),
        timelined(doc, "With vef replay --html the page shows a timeline of tasks and messages."),
        doc.explain ? null : charted(stack("Time of each task", "Task", "time", by("task"), causes.map((name) => ({ name: label(name).toLowerCase(), values: by(name) })), { format: time })),
        charted(doc.per_link ? heated(doc.per_link, "", drawn, doc) : null, sampled(doc)),
        tasks.length ? null : make("p", { class: "note" }, "With vef replay --per-task the report shows the times of each task."),
        table("Times over tasks", doc.per_task || []), table("Tasks", tasks),
        ...explained(doc, cycle_ns),
        ...linked(doc.per_link, drawn, doc.busiest_link ? "With vef replay --per-link the report shows a heat map of the links." : null), samples(doc),
        table("Collectives", doc.collectives || []), ...others(doc, ["task", "per_task", "collectives", "links", "samples", "per_link"]), ...configured(doc, net),
        ...reproduced([`vef replay ${shell(doc.trace)} --net ${shell(net)} --map ${shell(doc.mapping)}${tasks.length ? " --per-task" : ""}${observed(doc, doc.per_link)} --json`], "The file of the network is the one above. Results depend on it, its seed and the trace only.")] };
    },

    jobs(doc, _, drawn) {
      const batch = doc.batch;
      const rows = doc.jobs.map(({ endpoints, together, alone, ...row }) => ({ ...row, latency_mean_ns: together.latency_mean_ns,
        latency_p99_ns: together.latency_p99_ns, alone_latency_mean_ns: alone ? alone.latency_mean_ns : null }));
      const names = rows.map((row) => row.name), quiet = rows.map((row) => Math.min(row.time_ns, row.alone_ns ?? row.time_ns));
      const moments = batch ? batch.moments : [];
      const steps = (key) => moments.flatMap((row, i) => [...(i ? [[row.begin_ns / 1e6 - 1e-9, moments[i - 1][key]]] : []), [row.begin_ns / 1e6, row[key]]]);
      const net = `${network(doc)}.network.yaml`;
      const job = (row) => `--job ${shell(`${row.trace},name=${row.name}${row.place ? `,place=${row.place}` : ""}${row.map ? `,map=${row.map}` : ""}${row.start_ns ? `,start=${row.start_ns} ns` : ""}`)}`;
      return { title: `${rows.length} job${rows.length === 1 ? "" : "s"} on ${network(doc)}`, subtitle: `Replay of ${names.slice(0, 6).join(", ")}${names.length > 6 ? ", …" : ""} on ${doc.network}`, parts: [
        ...warnings(doc),
        facts([["Jobs", number(rows.length)], ["Tasks", number(doc.tasks)], ["Until the last end", time(doc.time_ns)], ["Policy", batch && batch.policy],
          ["Nodes in use, mean", batch && percent(batch.utilization_mean)], ["Wait, mean", batch && time(batch.wait_mean_ns)],
          ["Greatest slowdown", show("", Math.max(...rows.map((row) => row.slowdown || 0)) || null)]]),
        charted(stack("Time of each job", "Job", "time", names, [{ name: "alone", values: quiet },
            { name: "by which others slowed it down", values: rows.map((row, i) => row.time_ns - quiet[i]) }], { format: time }),
          batch ? stack("Wait of each job", "Job", "time", names, [{ name: "waiting for nodes", values: rows.map((row) => row.wait_ns) }], { format: time }) : null,
          batch ? curves("Nodes in use", "time (ms)", "nodes", [{ name: "nodes", points: steps("busy_nodes") }]) : null,
          batch ? curves("Jobs that wait", "time (ms)", "jobs", [{ name: "jobs", points: steps("waiting_jobs") }]) : null),
        charted(doc.per_link ? heated(doc.per_link, "", drawn, doc) : null, sampled(doc)),
        table("Jobs", rows), table("Background traffic", doc.background || []), table("Links that two jobs used", doc.sharing || []), table("Busiest shared links", doc.shared_links || []),
        ...linked(doc.per_link, drawn, null), samples(doc), ...others(doc, ["jobs", "background", "sharing", "shared_links", "samples", "per_link"]), ...configured(doc, net),
        ...(batch || doc.background ? [] : reproduced([`vef replay ${rows.map(job).join(" ")} --net ${shell(net)}${observed(doc, doc.per_link)} --json`],
          "The file of the network is the one above. Results depend on it, its seed and the traces only."))] };
    },

    load(doc, _, drawn) {
      const points = doc.points, busiest = points.reduce((most, row) => row.rate > most.rate ? row : most, points[0] || {}), at = (name) => points.map((row) => [row.rate, row[name]]);
      const peak = Math.max(...points.map((row) => row.accepted_load));
      const net = `${network(doc)}.network.yaml`;
      return { title: `Load on ${network(doc)}`, subtitle: `${doc.endpoints} endpoints, traffic ${doc.pattern}, ${doc.process}, ${doc.seeds} seed${doc.seeds === 1 ? "" : "s"}`, parts: [
        ...warnings(doc),
        facts([["Endpoints", number(doc.endpoints)], ["Greatest accepted load", number(peak)], ["First saturated load", points.some((row) => row.saturated) ? number(points.find((row) => row.saturated).rate) : "none"],
          ["Least mean latency", time(Math.min(...points.map((row) => row.message_latency_mean_ns ?? Infinity)))], ["Average hops", show("hops", points[0] && points[0].average_hops)],
          ["Points", number(points.length)], ["Seeds", number(doc.seeds)]]),
        points.length < 2 ? null : charted(
          curves("Accepted load", "offered load", "accepted load", [{ name: "accepted", points: at("accepted_load") }], { reference: true }),
          curves("Message latency", "offered load", "latency", [{ name: "mean", points: at("message_latency_mean_ns") }, { name: "median", points: at("message_latency_median_ns") }, { name: "99th percentile", points: at("message_latency_p99_ns") }], { format: time }),
          curves("Link utilization", "offered load", "utilization", [{ name: "mean", points: at("link_utilization_mean") }, { name: "busiest link", points: at("link_utilization_max") }], { format: percent }),
          curves("Fairness", "offered load", "index", [{ name: "least source over mean", points: at("fairness_min_over_mean") }, { name: "Jain's index", points: at("fairness_jain") }])),
        make("p", { class: "note" }, `Loads are in phits per cycle and endpoint.${points.length < 2 ? "" : " The grey line marks accepted = offered. Beyond saturation the latency of messages has no bound, so it is not shown there."}`),
        charted(busiest.per_link ? heated(busiest.per_link, ` at rate ${number(busiest.rate)}`, drawn, doc) : null, sampled(doc)),
        table("Points", points),
        ...linked(busiest.per_link, drawn, doc.configuration.topology ? "With vef load --per-link the report shows a heat map of the links." : null), samples(doc), ...others(doc, ["points", "samples"]), ...configured(doc, net),
        ...reproduced([`vef load ${shell(net)}${given(doc)}${observed(doc, busiest.per_link)} --json`], "The file of the network is the one above. Results depend on it, these options and its seed only.")] };
    },

    comparison(doc) {
      const networks = doc.networks, names = [...new Set(networks.map((row) => row.network))];
      const varied = Object.keys(networks[0] || {}).filter((name) => name !== "network" && typeof networks[0][name] === "string" && name !== "stalled" && name !== "state");
      const short = (row) => !row.network.startsWith("{") || names.length > 1 ? row.network
        : doc.configurations ? network({ network: row.network, configuration: doc.configurations[0].configuration }) : row.network;
      const name = (row) => [short(row), ...varied.map((of) => `${of}=${row[of]}`)].join(", ");
      const configurations = doc.configurations || [];
      const files = configurations.map((row, i) => `${/^[\w.-]+$/.test(row.network) && !varied.length ? row.network : `network-${i + 1}`}.network.yaml`);
      const parts = [...warnings(doc), ...verdicts(doc.verdict, networks)];
      if (doc.points) {
        const lines = [...new Set(doc.points.map(name))];
        const curve = (y) => lines.map((of) => ({ name: of, points: doc.points.filter((row) => name(row) === of).map((row) => [row.rate, row[y]]) }));
        const stable = doc.points.filter((row) => row.state === "stable").map((row) => row.latency_p99_ns || 0);
        parts.push(facts([["Networks", number(networks.length)], ["Traffic", doc.pattern], ["Greatest accepted load", `${number(Math.max(...networks.map((row) => row.peak_accepted_bytes_per_s / 1e9)))} GB/s/endpoint`]]),
          charted(curves("Latency, mean", "offered load", "ns", curve("latency_mean_ns"), { most: stable.length ? 3 * Math.max(...stable) : undefined }),
            curves("Accepted load", "offered load", "B/s/endpoint", curve("accepted_bytes_per_s"))));
      } else {
        parts.push(facts([["Networks", number(networks.length)], ["Trace", doc.trace], ["Mapping", doc.mapping]]),
          charted(stack("Execution time", "Network", "time", networks.map(name), [{ name: "time", values: networks.map((row) => row.time_ns) }], { format: time }),
            stack("Share of the tasks' time in MPI", "Network", "share", networks.map(name), [{ name: "waiting", values: networks.map((row) => row.waiting) }, { name: "communicating", values: networks.map((row) => row.communicating) }], { format: percent })));
      }
      parts.push(table("Networks", networks), doc.points ? table("Points", doc.points) : null, ...others(doc, ["networks", "points", "configurations", "verdict"]),
        configurations.length ? make("h3", {}, "Configurations") : null,
        configurations.length ? make("p", { class: "note" }, "All keys, with their defaults. The files can be given as NET.yaml (JSON is YAML).") : null,
        ...configurations.map((row, i) => {
          const text = JSON.stringify(row.configuration, null, 2) + "\n";
          return fold(name(row), make("p", {}, download(text, files[i])), make("pre", {}, text));
        }),
        ...reproduced([`vef compare ${files.length ? files.map(shell).join(" ") : "NET..."}${doc.trace ? ` --trace ${shell(doc.trace)}` : ""}${given(doc)} --json`],
          files.length ? "The files of the networks are those above." : `NET: the files of ${names.join(", ")}.`));
      return { title: `${doc.trace ? base(doc.trace) : "Load"} on ${networks.length} network${networks.length === 1 ? "" : "s"}`, subtitle: doc.trace ? `Replays of ${doc.trace}` : `Traffic ${doc.pattern}`, parts };
    },

    study(doc, name) {
      const results = csv(doc["results.csv"]), summary = csv(doc["summary.csv"]);
      const columns = Object.keys(results[0] || {}), end = columns.indexOf("state");
      const axes = columns.slice(1, end), figures = columns.slice(end + 2).filter((of) => of !== "key" && results.some((row) => typeof row[of] === "number"));
      const varied = axes.filter((of) => new Set(results.map((row) => row[of])).size > 1);
      const states = [...new Set(results.map((row) => row.state))].map((state) => [`Points ${state || "without result"}`, number(results.filter((row) => row.state === state).length)]);
      const measure = Object.keys(summary[0] || {}).find((of) => /_mean$/.test(of));
      const figureOf = ["time_ns", ...(measure ? [measure.replace(/_mean$/, ""), measure.replace(/(_peak)?_mean$/, "")] : []), figures[0]].find((of) => figures.includes(of));
      const done = results.filter((row) => typeof row[figureOf] === "number");
      const named = (row) => varied.map((of) => row[of]).join(", ") || String(row.point);
      const numeric = varied.find((of) => results.every((row) => typeof row[of] === "number"));
      const rest = varied.filter((of) => of !== numeric);
      const lines = [...new Set(done.map((row) => rest.map((of) => row[of]).join(", ")))];
      const picture = !figureOf || (doc.charts || []).length ? null // the study has drawn its own
        : numeric && lines.length <= 8
        ? curves(label(figureOf), numeric, label(figureOf), lines.map((line) => ({ name: line || label(figureOf), points: done.filter((row) => rest.map((of) => row[of]).join(", ") === line).map((row) => [row[numeric], row[figureOf]]) })), { zero: false, format: (value) => show(figureOf, value) })
        : stack(label(figureOf), "Point", label(figureOf), done.length <= 12 ? done.map(named) : done.map((row) => row.point), [{ name: label(figureOf), values: done.map((row) => row[figureOf]) }], { format: (value) => show(figureOf, value) });
      return { title: `Study ${base(name)}`, subtitle: `${results.length} points over ${axes.join(", ")}`, parts: [
        ...verdicts(csv(doc["verdict.csv"] || ""), results), charted(...(doc.charts || []).map(drawing)),
        facts([["Points", number(results.length)], ...states, ["Axes that vary", varied.join(", ") || "none"]]),
        charted(picture),
        // Without axes it is a mean over all applications, which says nothing.
        measure === Object.keys(summary[0] || {})[0] ? null : table("Summary", summary), table("Results", results, columns.filter((of) => of !== "key")),
        make("h3", {}, "Configuration"), download(doc["study.yaml"], "study.yaml"), fold("study.yaml", make("pre", {}, doc["study.yaml"])),
        ...reproduced([`vef study study.yaml -o ${shell(base(name))}`], "results.jsonl in the folder of the study has the resolved configuration of each point.")] };
    },
  };

  const drawing = ({ name, svg }) => make("figure", { class: "map" }, make("figcaption", {}, name),
    image_of(svg, `Chart ${name} of the study. The numbers are in the table Results.`));

  // Rows of CSV (RFC 4180) as maps; numbers are numbers.
  function csv(text) {
    const rows = [[]];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
      rows[rows.length - 1].push(quoted !== undefined ? quoted.replace(/""/g, '"') : plain);
      if (end !== ",") rows.push([]);
    }
    const heads = rows.shift();
    return rows.filter((row) => row.length === heads.length && row.length > 0).map((row) => Object.fromEntries(heads.map((head, i) =>
      [head, row[i] !== "" && !Number.isNaN(Number(row[i])) ? Number(row[i]) : row[i]])));
  }

  // ---- the page ----

  const { version, inputs } = JSON.parse(document.getElementById("inputs").textContent);
  const sections = inputs.map((input) => ({ kind: input.kind, name: input.name, ...kinds[input.kind](input.document, input.name, input) }));
  const replays = inputs.filter((input) => input.kind === "replay");
  if (replays.length > 1) {
    const rows = replays.map(({ name, document: doc }) => ({ network: network(doc), mapping: doc.mapping, trace: base(doc.trace), time_ns: doc.time_ns,
      relative: doc.time_ns / replays[0].document.time_ns, average_hops: doc.average_hops, latency_mean_ns: doc.latency_mean_ns, link_utilization_max: doc.link_utilization_max, stalled: doc.stalled, file: name }));
    const differs = ["trace", "network", "mapping"].filter((of) => new Set(rows.map((row) => row[of])).size > 1);
    const named = (row) => (differs.length ? differs : ["file"]).map((of) => row[of]).join(", ");
    sections.unshift({ kind: "comparison", title: "Comparison of the replays", subtitle: "Relative to the first", parts: [
      charted(stack("Execution time", "Replay", "time", rows.map(named), [{ name: "time", values: rows.map((row) => row.time_ns) }], { format: time })), table("Replays", rows)] });
  }
  const several = sections.length > 1;
  const title = several ? `${sections.length} results` : sections[0].title;
  document.title = `${title} – vef report`;
  document.getElementById("title").textContent = title;
  document.getElementById("subtitle").textContent = several ? inputs.map((input) => input.name).join(", ") : sections[0].subtitle;
  if (several)
    document.getElementById("contents").append(make("ul", {}, ...sections.map((section, i) => make("li", {}, make("a", { href: `#result-${i}` }, section.title)))));
  document.getElementById("main").append(...sections.map((section, i) => make("section", { id: `result-${i}`, "data-kind": section.kind },
    several ? make("h2", {}, section.title) : null, several ? make("p", { class: "note" }, section.subtitle) : null, ...section.parts.filter(Boolean))));
  document.getElementById("footer").textContent = `Written by vef ${version}. Charts: uPlot (MIT licence, in this file).`;
  charts.forEach((begin) => begin());
  document.body.dataset.rendered = charts.length;
})();
