// The heat map of links over time: the picture that vef has drawn, with its cells and lines coloured by one
// sample after another (vef_picture_put_shapes in common/pictures/picture.h).
"use strict";
// Viridis, as in common/pictures/marks.c: light is little.
const heat_colour = (share) => {
  const stops = [[253, 231, 37], [94, 201, 98], [33, 145, 140], [59, 82, 139], [68, 1, 84]], place = 4 * Math.min(1, Math.max(0, share)), i = Math.min(3, Math.floor(place));
  return `rgb(${stops[i].map((from, k) => Math.round(from + (place - i) * (stops[i + 1][k] - from))).join(" ")})`;
};

// `image` shows the whole run; `samples` are those of the document.
const draw_map = (map, samples, image, { make, charts, time, percent }) => {
  const shapes = [], source = unpacker(map.shapes), values = unpacker(map.values);
  while (!source.ended()) shapes.push([source.read(), source.signed() / 10, source.signed() / 10, source.signed() / 10, source.signed() / 10]);
  const shares = samples.map(() => shapes.map(() => values.read() - 1)); // in thousandths; -1: none
  const canvas = make("canvas", { "aria-hidden": "true" }), ctx = canvas.getContext("2d");
  const slider = make("input", { type: "range", min: 0, max: samples.length, value: 0, "aria-label": "Time of the map; 0: the whole run" });
  const play = make("button", { type: "button", class: "more" }, "Play"), said = make("span", { class: "readout", "aria-live": "polite" });
  let timer = 0;
  const draw = () => {
    const i = slider.value - 1, scale = image.clientWidth / map.width, ratio = Math.min(2, window.devicePixelRatio || 1);
    canvas.hidden = i < 0;
    said.textContent = i < 0 ? "The whole run" : `${time(i ? samples[i - 1].end_ns : 0)} to ${time(samples[i].end_ns)}: mean ${percent(samples[i].utilization_mean)}, busiest link ${percent(samples[i].utilization_max)}`;
    if (i < 0 || !scale) return;
    canvas.width = Math.round(image.clientWidth * ratio);
    canvas.height = Math.round(image.clientHeight * ratio);
    ctx.setTransform(ratio * scale, 0, 0, ratio * scale, 0, 0);
    ctx.lineWidth = map.line;
    shapes.forEach(([line, x1, y1, x2, y2], s) => {
      const value = shares[i][s];
      if (value < 0) return;
      ctx.fillStyle = ctx.strokeStyle = heat_colour(value / 10 / map.most);
      if (line) {
        ctx.beginPath();
        ctx.moveTo(x1, y1);
        ctx.lineTo(x2, y2);
        ctx.stroke();
      } else ctx.fillRect(Math.min(x1, x2), Math.min(y1, y2), Math.abs(x2 - x1), Math.abs(y2 - y1));
    });
  };
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "Play"; };
  slider.addEventListener("input", () => { stop(); draw(); });
  play.addEventListener("click", () => {
    if (timer) { stop(); return; }
    play.textContent = "Pause";
    if (+slider.value === samples.length) slider.value = 0;
    timer = setInterval(() => { slider.value = +slider.value + 1; draw(); if (+slider.value === samples.length) stop(); }, 120);
  });
  charts.push(() => { new ResizeObserver(draw).observe(image); draw(); });
  return make("div", {}, make("div", { class: "over" }, image, canvas), make("div", { class: "tools", "data-samples": values.ended() ? samples.length : -1, "data-shapes": shapes.length }, play, slider), said);
};
