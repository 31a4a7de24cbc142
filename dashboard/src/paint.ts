// Draws boxes: nodes with their pods, and groups with their nodes.
import type { Cluster } from "./cluster";
import { count, percent, several } from "./format";
import type { Box } from "./layout";
import { shortened } from "./names";
import { textOn, type Palette } from "./palette";
import type { Node, Pod } from "./shapes";
import { amountOf, isThere, isUnwell, requestOf, roomOf, sum, troubles, usageOf, usedOf, wordFor, type Used } from "./usage";

export interface Scene { context: CanvasRenderingContext2D; cluster: Cluster; palette: Palette;
  classes: string[]; resource: string; used: Used }
interface Area { x: number; y: number; width: number; height: number }
export interface Strip extends Area { pod: Pod; isGhost: boolean }

const FONT = "system-ui, sans-serif";
const HEAD = 20;
const HEADLINES = 74;
const STRIP_MIN = 2;
// What nominated pods have of a box's width, beside the pods that are there.
const GHOST_SHARE = 0.34;

const headOf = (box: Area) => (box.width >= 64 && box.height >= 44 ? HEAD : 3);

// A node's pods from the bottom, the highest priority first; nominated ones as ghosts beside them.
export function stripsOf(box: Box, cluster: Cluster, resource: string): Strip[] {
  const node = box.nodes[0]!;
  const room = roomOf(node, resource);
  const head = headOf(box);
  const [x, top, width, height] = [box.x + 3, box.y + head, box.width - 6, box.height - head - 3];
  const tall = (pod: Pod) => Math.max(STRIP_MIN, room ? (requestOf(pod, resource) / room) * height : 0);
  const stacked = (pods: Pod[], isGhost: boolean, left: number, wide: number) => {
    const sorted = pods.sort(moreImportant);
    const scale = Math.min(1, height / sorted.reduce((all, pod) => all + tall(pod), 0));
    let y = top + height;
    return sorted.map((pod) => {
      y -= tall(pod) * scale;
      return { pod, isGhost, x: left, y, width: wide, height: tall(pod) * scale };
    });
  };
  const ghosts = [...cluster.nominatedTo(node.name)];
  const aside = ghosts.length ? Math.round(width * GHOST_SHARE) : 0;
  return [...stacked([...cluster.podsOn(node.name)].filter(isThere), false, x, width - aside),
    ...stacked(ghosts, true, x + width - aside + 2, aside - 2)];
}

const moreImportant = (a: Pod, b: Pod) => b.priority - a.priority || (a.name < b.name ? -1 : 1);

// Draws a box; if some of its nodes are given, only what has to do with them.
export function paintBox(scene: Scene, box: Box, touched: Set<string> | null) {
  if (touched && !box.nodes.some((node) => touched.has(node.name))) return;
  if (box.by === "node") paintNode(scene, box);
  else paintGroup(scene, box, touched);
}

function paintNode(scene: Scene, box: Box) {
  const { palette, cluster, resource } = scene;
  const node = box.nodes[0]!;
  frame(scene, box, node);
  const strips = stripsOf(box, cluster, resource);
  const share = usedShare(scene, box.nodes);
  if (headOf(box) === HEAD) {
    const requested = percent(cluster.usageOf(node.name).requested.get(resource) ?? 0, roomOf(node, resource));
    const both = share === undefined ? requested : `${requested}, ${percent(share, 1)} used`;
    // What is used has its line as well; the name has none.
    const right = widthOf(scene, node.name, 600) + widthOf(scene, both) + 20 < box.width ? both : requested;
    const trouble = troubles(node)[0] ?? "";
    const wide = text(scene, right, box.x + box.width - 6, box.y + 14, 0, palette.faint, "right");
    const room = box.width - 16 - wide;
    const taken = trouble && room > 130
      ? text(scene, `⚠ ${trouble}`, box.x + box.width - 12 - wide, box.y + 14, room / 2, palette.bad, "right") + 8
      : 0;
    const sign = trouble && !taken ? "⚠ " : "";
    text(scene, sign + node.name, box.x + 6, box.y + 14, room - taken, trouble ? palette.bad : palette.text, "left", 600, 11,
      (letters) => sign + shortened(node.name, letters - sign.length, cluster.nodeEnding));
  }
  for (const strip of strips) paintStrip(scene, strip);
  if (share !== undefined) {
    const [top, height] = [box.y + headOf(box), box.height - headOf(box) - 3];
    const y = Math.round(top + height * (1 - share));
    // What it crosses has to be read.
    scene.context.fillStyle = palette.text;
    scene.context.fillRect(box.x + 1, y, box.width - 2, 1);
    for (const x of [box.x + 1, box.x + box.width - 7]) markUsed(scene, x, y - 1, 6, 3);
  }
}

// What nodes use of what they have, at most all of it; undefined if it isn't measured.
function usedShare({ used, resource }: Scene, nodes: Node[]): number | undefined {
  const amount = usedOf(used, nodes, resource);
  return amount === undefined ? undefined : Math.min(1, amount / (sum(nodes, (node) => roomOf(node, resource)) || 1));
}

// A mark that stands out from any class beneath it.
function markUsed({ context, palette }: Scene, x: number, y: number, width: number, height: number) {
  context.fillStyle = palette.box;
  context.fillRect(x - 1, y - 1, width + 2, height + 2);
  context.fillStyle = palette.text;
  context.fillRect(x, y, width, height);
}

function frame({ context, palette }: Scene, box: Box, node: Node | null) {
  context.fillStyle = palette.box;
  context.strokeStyle = node && !node.ready ? palette.bad : node?.pressure.length ? palette.warn : palette.line;
  context.lineWidth = node && troubles(node).length ? 2 : 1;
  context.setLineDash(node?.cordoned ? [5, 3] : []);
  context.beginPath();
  context.roundRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, 4);
  context.fill();
  context.stroke();
  context.setLineDash([]);
  context.lineWidth = 1;
}

function paintStrip(scene: Scene, strip: Strip) {
  const { context, palette, resource } = scene;
  const { pod, x, y, width, height } = strip;
  const colour = palette.ofPod(pod);
  const gap = height >= 4 ? 1 : 0;
  const isGoing = pod.state === "terminating";
  if (strip.isGhost) {
    context.fillStyle = colour;
    context.globalAlpha = 0.3;
    context.fillRect(x, y, width, height - gap);
    context.globalAlpha = 1;
    context.strokeStyle = palette.text;
    context.setLineDash([4, 3]);
    context.strokeRect(x + 0.5, y + 0.5, width - 1, height - gap - 1);
    context.setLineDash([]);
  } else {
    context.fillStyle = colour;
    context.globalAlpha = isGoing ? 0.45 : pod.state === "bound" ? 0.75 : 1;
    context.fillRect(x, y, width, height - gap);
    context.globalAlpha = 1;
    if (isGoing) hatch(scene, x, y, width, height - gap);
  }
  if (height < 12 || width < 54) return;
  const ink = strip.isGhost || isGoing ? palette.text : textOn(colour);
  const base = y + Math.min(height / 2, 12) + 3.5;
  const amount = amountOf(resource, requestOf(pod, resource));
  if (isGoing) {
    context.fillStyle = palette.box;
    context.fillRect(x + 2, base - 10, width - 4, 13);
  }
  const wide = width > 130 ? text(scene, amount, x + width - 5, base, 0, ink, "right") : 0;
  const sign = strip.isGhost ? "→ " : isGoing ? "✕ " : "";
  text(scene, sign + pod.name, x + 5, base, width - 14 - wide, ink, "left", 400, 11,
    (letters) => sign + shortened(pod.name, letters - sign.length));
}

const hatches = new Map<string, CanvasPattern>();

function hatch({ context, palette }: Scene, x: number, y: number, width: number, height: number) {
  let pattern = hatches.get(palette.text);
  if (!pattern) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 7;
    const lines = tile.getContext("2d")!;
    lines.strokeStyle = palette.text;
    lines.lineWidth = 1.4;
    for (const from of [-7, 0, 7]) {
      lines.moveTo(from, 7);
      lines.lineTo(from + 7, 0);
    }
    lines.stroke();
    pattern = context.createPattern(tile, "repeat")!;
    hatches.set(palette.text, pattern);
  }
  context.fillStyle = pattern;
  context.fillRect(x, y, width, height);
}

// A group: what it is and how full, and each of its nodes as a cell.
function paintGroup(scene: Scene, box: Box, touched: Set<string> | null) {
  const { cluster, palette, resource, context } = scene;
  const cells = cellsOf(box);
  const filled: Filled[] = [];
  box.nodes.forEach((node, index) => {
    if (touched && !touched.has(node.name)) return;
    filled.push({ ...cells.at(index), node, requested: cluster.usageOf(node.name).byClass.get(resource) ?? new Map(), room: roomOf(node, resource) });
  });
  if (touched) {
    context.fillStyle = palette.box;
    context.fillRect(box.x + 2, box.y + 2, box.width - 4, HEADLINES);
    for (const { x, y, width, height } of filled) context.fillRect(x - 1, y - 1, width + 2, height + 2);
  } else frame(scene, box, null);
  paintHeadlines(scene, box);
  fill(scene, filled, false);
  for (const one of filled) markCell(scene, one);
}

function paintHeadlines(scene: Scene, box: Box) {
  const { cluster, palette, resource } = scene;
  const usage = usageOf(cluster, box.nodes, resource);
  const [x, right] = [box.x + 10, box.x + box.width - 10];
  const nodes = several(box.nodes.length, "node");
  const wide = text(scene, nodes, right, box.y + 20, 0, palette.faint, "right");
  text(scene, box.title, x, box.y + 20, right - x - wide - 8, palette.text, "left", 600, 13);
  const shares = [...new Set([resource, "cpu", "memory"])].filter((one) => cluster.resources.includes(one))
    .map((one) => `${wordFor(one)} ${percent(usage.requested.get(one) ?? 0, sum(box.nodes, (node) => roomOf(node, one)))}`);
  const share = usedShare(scene, box.nodes);
  if (share !== undefined) shares[0] += ` (${percent(share, 1)} used)`;
  const full = [...shares, several(usage.pods, "pod")].join("   ");
  text(scene, full, x, box.y + 38, right - x, palette.text);
  const notes = [[box.nodes.filter(isUnwell).length, "unwell"], [usage.terminating, "terminating"], [usage.nominated, "nominated"]]
    .filter(([amount]) => amount).map(([amount, what]) => `${count(amount as number)} ${what}`).join("   ");
  text(scene, notes, x, box.y + 54, right - x, palette.bad);
  const room = sum(box.nodes, (node) => roomOf(node, resource));
  const bar = { x, y: box.y + 62, width: right - x, height: 10, node: box.nodes[0]!, room };
  fill(scene, [{ ...bar, requested: usage.byClass.get(resource) ?? new Map() }], true);
  if (share !== undefined) markUsed(scene, Math.round(bar.x + bar.width * share) - 1, bar.y - 3, 2, bar.height + 6);
}

// What is going on in a cell: hatched where pods terminate, framed where something is the matter.
function markCell(scene: Scene, area: Filled) {
  const { cluster, palette, context } = scene;
  const { node } = area;
  const { terminating, nominated } = cluster.usageOf(node.name);
  if (terminating && area.width >= 6) hatch(scene, area.x, area.y, area.width, area.height);
  if (!isUnwell(node) && !nominated) return;
  context.strokeStyle = isUnwell(node) ? (node.ready ? palette.warn : palette.bad) : palette.text;
  context.lineWidth = 1.5;
  context.setLineDash(isUnwell(node) ? [] : [2, 2]);
  context.beginPath();
  context.rect(area.x + 0.5, area.y + 0.5, area.width - 1, area.height - 1);
  if (!node.ready) {
    context.moveTo(area.x, area.y);
    context.lineTo(area.x + area.width, area.y + area.height);
  }
  context.stroke();
  context.setLineDash([]);
}

interface Filled extends Area { node: Node; requested: Map<string, number>; room: number }

// Fills areas by priority class, the highest first: from the left, or from the bottom. All of a
// colour are drawn together, which browsers do much faster.
function fill({ context, palette, classes }: Scene, areas: Filled[], isAcross: boolean) {
  context.fillStyle = palette.empty;
  for (const { x, y, width, height } of areas) context.fillRect(x, y, width, height);
  const levels = areas.map(() => 0);
  for (const name of classes) {
    context.fillStyle = palette.ofClass(name);
    areas.forEach(({ requested, room, x, y, width, height }, index) => {
      const amount = requested.get(name);
      if (!amount || !room) return;
      const from = levels[index]!;
      const to = (levels[index] = Math.min(1, from + amount / room));
      const [near, far] = [from, to].map((level) => Math.round(level * (isAcross ? width : height))) as [number, number];
      if (isAcross) context.fillRect(x + near, y, far - near, height);
      else context.fillRect(x, y + height - far, width, far - near);
    });
  }
}

// Where a group's nodes are drawn: as large as fit.
export function cellsOf(box: Box) {
  const [x, y, width, height] = [box.x + 10, box.y + HEADLINES + 8, box.width - 20, box.height - HEADLINES - 16];
  let size = Math.min(28, Math.floor(Math.sqrt((width * height) / box.nodes.length)));
  while (size > 3 && Math.ceil(box.nodes.length / Math.floor(width / size)) * size > height) size--;
  const columns = Math.max(1, Math.floor(width / size));
  const inner = size > 4 ? size - 1 : size;
  return {
    at: (index: number): Area => ({ x: x + (index % columns) * size, y: y + Math.floor(index / columns) * size,
      width: inner, height: inner }),
    indexAt(atX: number, atY: number): number {
      const [column, row] = [Math.floor((atX - x) / size), Math.floor((atY - y) / size)];
      const index = row * columns + column;
      return column < 0 || column >= columns || row < 0 || index >= box.nodes.length ? -1 : index;
    },
  };
}

function widthOf({ context }: Scene, words: string, weight = 400): number {
  context.font = `${weight} 11px ${FONT}`;
  return context.measureText(words).width;
}

// Writes a text, cut to fit, and returns how wide it is.
function text({ context }: Scene, words: string, x: number, y: number, room: number, colour: string,
  align: CanvasTextAlign = "left", weight = 400, size = 11,
  cut = (letters: number) => (letters > 1 ? `${words.slice(0, letters - 1)}…` : "")): number {
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = align;
  context.fillStyle = colour;
  let shown = words;
  if (room) {
    let letters = Math.max(0, Math.floor((room / context.measureText(words).width) * words.length));
    if (letters < words.length) shown = cut(letters);
    while (letters > 0 && shown && context.measureText(shown).width > room) shown = cut(--letters);
  }
  context.fillText(shown, x, y);
  return context.measureText(shown).width;
}
