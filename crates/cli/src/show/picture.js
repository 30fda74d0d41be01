const svg = document.querySelector("svg"), main = document.querySelector("main");
const nodes = [...svg.querySelectorAll(".node")], lines = [...svg.querySelectorAll(".line")];
const byId = new Map(nodes.map((n) => [n.dataset.node, n]));
// A box, and the frames around it.
const around = (id, into) => {
  while (id !== undefined && !into.has(id)) {
    into.add(id);
    id = byId.get(id).dataset.in;
  }
};
const show = (keep) => {
  nodes.forEach((n) => n.classList.toggle("dim", !!keep && !keep.has(n.dataset.node)));
  lines.forEach((l) => l.classList.toggle("dim", !!keep && !(keep.has(l.dataset.from) && keep.has(l.dataset.to))));
};
nodes.filter((n) => n.classList.contains("box")).forEach((node) => {
  node.addEventListener("mouseenter", () => {
    const id = node.dataset.node, keep = new Set();
    around(id, keep);
    lines.forEach((l) => {
      if (l.dataset.from === id) around(l.dataset.to, keep);
      if (l.dataset.to === id) around(l.dataset.from, keep);
    });
    show(keep);
  });
  node.addEventListener("mouseleave", () => show(null));
});
document.querySelector("input").addEventListener("input", (event) => {
  const text = event.target.value.toLowerCase(), keep = new Set();
  const found = text ? nodes.filter((n) => n.querySelector("title").textContent.toLowerCase().includes(text)) : [];
  found.forEach((n) => around(n.dataset.node, keep));
  nodes.forEach((n) => n.classList.toggle("found", found.includes(n)));
  show(text ? keep : null);
  if (found[0]) found[0].scrollIntoView({ block: "center", inline: "center" });
});
const width = +svg.getAttribute("width"), height = +svg.getAttribute("height");
let zoom = 1;
const scale = (to) => {
  zoom = Math.min(8, Math.max(0.05, to));
  svg.setAttribute("width", width * zoom);
  svg.setAttribute("height", height * zoom);
};
const fit = () => Math.min(main.clientWidth / width, main.clientHeight / height, 1);
document.querySelectorAll("button").forEach((b) => b.addEventListener("click", () => {
  const factor = +b.dataset.zoom;
  scale(factor ? zoom * factor : fit());
}));
main.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  scale(zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
}, { passive: false });
scale(Math.max(0.7, Math.min(1, main.clientWidth / width)));
// The picture begins where nothing comes before.
const left = (n) => +n.querySelector("rect").getAttribute("x");
const first = nodes.reduce((a, b) => (!a || left(b) < left(a) ? b : a), null);
if (first && height * zoom > main.clientHeight) first.querySelector("text").scrollIntoView({ block: "center", inline: "nearest" });
