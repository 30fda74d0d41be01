const svg = document.querySelector("svg"), main = document.querySelector("main");
const nodes = [...svg.querySelectorAll(".node")], lines = [...svg.querySelectorAll(".line")];
const show = (keep) => {
  nodes.forEach((n) => n.classList.toggle("dim", !!keep && !keep.has(n.dataset.node)));
  lines.forEach((l) => l.classList.toggle("dim", !!keep && !(keep.has(l.dataset.from) && keep.has(l.dataset.to))));
};
nodes.forEach((node) => {
  node.addEventListener("mouseenter", () => {
    const id = node.dataset.node, keep = new Set([id]);
    lines.forEach((l) => {
      if (l.dataset.from === id) keep.add(l.dataset.to);
      if (l.dataset.to === id) keep.add(l.dataset.from);
    });
    show(keep);
  });
  node.addEventListener("mouseleave", () => show(null));
});
document.querySelector("input").addEventListener("input", (event) => {
  const text = event.target.value.toLowerCase();
  const found = nodes.filter((n) => n.querySelector("title").textContent.toLowerCase().includes(text));
  show(text ? new Set(found.map((n) => n.dataset.node)) : null);
  if (text && found[0]) found[0].scrollIntoView({ block: "center", inline: "center" });
});
const width = +svg.getAttribute("width"), height = +svg.getAttribute("height");
let zoom = 1;
const scale = (factor) => {
  zoom = Math.min(8, Math.max(0.05, zoom * factor));
  svg.setAttribute("width", width * zoom);
  svg.setAttribute("height", height * zoom);
};
document.querySelectorAll("button").forEach((b) => b.addEventListener("click", () => scale(+b.dataset.zoom)));
main.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  scale(event.deltaY < 0 ? 1.1 : 1 / 1.1);
}, { passive: false });
