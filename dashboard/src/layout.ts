// Where the boxes stand: groups of nodes while there are many, then nodes.
import { byName } from "./names";
import type { Node } from "./shapes";

export type By = "zone" | "pool";
export interface Focus { by: By; value: string }
export type Grouping = "auto" | By | "nodes";

export interface Box { id: string; title: string; by: By | "node"; nodes: Node[];
  x: number; y: number; width: number; height: number }
export interface Layout { boxes: Box[]; columns: number; height: number; by: By | "node" }

const NODES_AT_ONCE = 150;
const GAP = 8;
const NODE_MAX = 460;
const NAMELESS = "(none)";

export const valueOf = (node: Node, by: By) => node[by] || NAMELESS;

// Many call their zones zone-a.
export const titleOf = ({ by, value }: Focus) => (value.startsWith(by) ? value : `${by} ${value}`);

export const nodesIn = (nodes: Iterable<Node>, focus: Focus[]) =>
  [...nodes].filter((node) => focus.every((one) => valueOf(node, one.by) === one.value));

// By what the nodes are put together; by nothing if they are few or all alike.
export function groupingOf(nodes: Node[], focus: Focus[], wanted: Grouping): By | "node" {
  if (wanted === "nodes") return "node";
  const left = (["zone", "pool"] as const).filter((by) => !focus.some((one) => one.by === by));
  if (wanted !== "auto" && left.includes(wanted)) return wanted;
  if (nodes.length <= NODES_AT_ONCE) return "node";
  return left.find((by) => new Set(nodes.map((node) => node[by])).size > 1) ?? "node";
}

export function layOut(nodes: Node[], by: By | "node", width: number, height: number, zoom: number): Layout {
  const boxes = by === "node" ? nodeBoxes(nodes) : groupBoxes(nodes, by);
  const wide = by === "node" ? nodeWidth(boxes.length, width, height) * zoom : groupWidth(boxes.length, width, height);
  const columns = Math.max(1, Math.min(boxes.length, Math.floor((width - GAP) / (wide + GAP))));
  const rows = Math.ceil(boxes.length / columns);
  const boxWidth = Math.min((width - GAP) / columns - GAP, by === "node" ? NODE_MAX * Math.max(1, zoom) : Infinity);
  const fill = (height - GAP) / rows - GAP;
  const boxHeight = by === "node"
    ? clamp(zoom === 1 ? fill : nodeHeight(boxWidth), 36, boxWidth * 0.8)
    : Math.max(170, fill);
  boxes.forEach((box, index) => {
    box.x = GAP + (index % columns) * (boxWidth + GAP);
    box.y = GAP + Math.floor(index / columns) * (boxHeight + GAP);
    [box.width, box.height] = [boxWidth, boxHeight];
  });
  return { boxes, columns, height: GAP + rows * (boxHeight + GAP), by };
}

const clamp = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
const nodeHeight = (width: number) => Math.max(36, width * 0.55);

// The widest boxes that all fit.
function nodeWidth(boxes: number, width: number, height: number): number {
  for (let wide = 280; wide > 48; wide -= 4) {
    const columns = Math.floor((width - GAP) / (wide + GAP));
    if (columns && Math.ceil(boxes / columns) * (nodeHeight(wide) + GAP) + GAP <= height) return wide;
  }
  return 48;
}

function groupWidth(boxes: number, width: number, height: number): number {
  const wanted = Math.ceil(Math.sqrt((boxes * width) / (height * 1.5)));
  const rows = Math.ceil(boxes / clamp(wanted, 1, Math.max(1, Math.floor(width / 230))));
  const columns = Math.ceil(boxes / rows);
  return (width - GAP) / columns - GAP;
}

function nodeBoxes(nodes: Node[]): Box[] {
  const sorted = [...nodes].sort((a, b) => byName(a.zone, b.zone) || byName(a.name, b.name));
  return sorted.map((node) => box(node.name, node.name, "node", [node]));
}

function groupBoxes(nodes: Node[], by: By): Box[] {
  const groups = new Map<string, Node[]>();
  for (const node of nodes) {
    const value = valueOf(node, by);
    const group = groups.get(value);
    if (group) group.push(node);
    else groups.set(value, [node]);
  }
  return [...groups].sort(([a], [b]) => byName(a, b)).map(([value, members]) =>
    box(value, titleOf({ by, value }), by, members.sort((a, b) => byName(a.name, b.name))));
}

function box(id: string, title: string, by: By | "node", nodes: Node[]): Box {
  return { id, title, by, nodes, x: 0, y: 0, width: 0, height: 0 };
}
