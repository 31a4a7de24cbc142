// The picture of a cluster: nodes as boxes filled by their pods. Arrows move among them.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { classOf, podKey, type Cluster } from "./cluster";
import { count, several } from "./format";
import { groupingOf, layOut, nodesIn, titleOf, type Box, type Focus, type Grouping, type Layout } from "./layout";
import { useMeasured } from "./measured";
import { cellsOf, paintBox, stripsOf } from "./paint";
import { usePalette } from "./palette";
import { nodeLink, open, podLink } from "./routes";
import type { Node, Pod, View } from "./shapes";
import { useStore } from "./store";
import { Swatch } from "./parts";
import { amountOf, amountsIn, devicesOf, requestedOf, takenFor, troubles, usageOf, usedOf, wordFor, type Usage, type Used } from "./usage";

interface Found { box: Box; node: Node | null; pod: Pod | null; isGhost: boolean; x: number; y: number }

// What is kept while another page is shown.
const kept = { focus: [] as Focus[], grouping: "auto" as Grouping, resource: "cpu", zoom: 1, selected: "" };

export function Picture() {
  const { history, version } = useStore();
  const palette = usePalette();
  const [, setDrawn] = useState(0);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [found, setFound] = useState<Found | null>(null);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const cluster = history!.cluster;
  const used = useMeasured();
  const change = (changed: Partial<typeof kept>) => {
    Object.assign(kept, changed);
    setFound(null);
    setDrawn((drawn) => drawn + 1);
  };

  const { nodes, layout } = useMemo(() => {
    const inside = nodesIn(cluster.nodes.values(), kept.focus);
    const by = groupingOf(inside, kept.focus, kept.grouping);
    return { nodes: inside, layout: layOut(inside, by, size.width, size.height, kept.zoom) };
  }, [cluster, cluster.nodesVersion, size, kept.focus, kept.grouping, kept.zoom]);
  const selected = layout.boxes.find((box) => box.id === kept.selected) ?? layout.boxes[0];

  const paint = (touched: Set<string> | null) => {
    const context = canvas.current!.getContext("2d")!;
    const [ratio, top] = [devicePixelRatio, frame.current!.scrollTop];
    const classes = palette.classes.map((one) => one.name).reverse();
    context.setTransform(ratio, 0, 0, ratio, 0, -top * ratio);
    if (!touched) context.clearRect(0, top, size.width, size.height);
    const scene = { context, cluster, classes, palette, resource: kept.resource, used };
    for (const box of layout.boxes) {
      if (box.y + box.height >= top && box.y <= top + size.height) paintBox(scene, box, touched);
    }
  };

  useLayoutEffect(() => {
    const measure = () => setSize({ width: frame.current!.clientWidth, height: frame.current!.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(frame.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  // Paints all anew, or else what has changed.
  const painted = useRef<unknown[]>([]);
  useLayoutEffect(() => {
    if (!size.width) return;
    performance.mark("paint");
    const whole = [layout, palette, kept.resource, history, used];
    if (whole.every((one, index) => one === painted.current[index])) paint(cluster.touched);
    else {
      const ratio = devicePixelRatio;
      [canvas.current!.width, canvas.current!.height] = [size.width * ratio, size.height * ratio];
      paint(null);
    }
    painted.current = whole;
    cluster.touched.clear();
    performance.measure("painted", "paint");
  }, [version, layout, palette, kept.resource, used]);

  const back = () => {
    if (kept.focus.length) change({ focus: kept.focus.slice(0, -1), grouping: "auto", selected: kept.focus.at(-1)!.value });
  };
  const enter = (box: Box) => {
    if (box.by === "node") open(nodeLink(box.id));
    else change({ focus: [...kept.focus, { by: box.by, value: box.id }], grouping: "auto", zoom: 1, selected: "" });
  };
  const zoom = (times: number) => change({ zoom: Math.max(0.5, Math.min(6, kept.zoom * times)) });
  const onKeyDown = (event: KeyboardEvent) => {
    const index = layout.boxes.indexOf(selected!);
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -layout.columns,
      ArrowDown: layout.columns, Home: -index, End: layout.boxes.length - 1 - index };
    const next = layout.boxes[index + (steps[event.key] ?? 0)];
    if (event.key in steps && next) {
      change({ selected: next.id });
      scrollTo(frame.current!, next);
    } else if (event.key === "Enter" && selected) enter(selected);
    else if (event.key === "Escape" && kept.focus.length) back();
    else if (event.key === "+" || event.key === "-") zoom(event.key === "+" ? 1.4 : 1 / 1.4);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onMove = (event: PointerEvent) => setFound(find(event, frame.current!, layout, cluster));
  const onClick = (event: MouseEvent) => {
    const hit = find(event, frame.current!, layout, cluster);
    if (!hit) return;
    kept.selected = hit.box.id;
    if (hit.pod) open(podLink(hit.pod));
    else enter(hit.box);
  };

  return (
    <section class="picture" aria-label="Nodes and their pods">
      <Toolbar by={layout.by} focus={kept.focus} change={change} zoom={zoom} nodes={nodes} resources={cluster.resources} />
      <div ref={frame} class="boxes" tabIndex={0} role="listbox" aria-label="Nodes; arrows move, Enter opens"
        aria-activedescendant="box-selected" onKeyDown={onKeyDown} onPointerMove={onMove}
        onPointerLeave={() => setFound(null)} onClick={onClick} onScroll={() => paint(null)}>
        <div class="paper" style={{ height: `${Math.max(layout.height, size.height)}px` }}>
          <canvas ref={canvas} aria-hidden="true" style={{ width: `${size.width}px`, height: `${size.height}px` }} />
          {selected && (
            <div id="box-selected" class="box-selected" role="option" aria-selected="true"
              aria-label={describe(selected, cluster, used)} style={place(selected)} />
          )}
          {found && <div class="box-hovered" style={place(found.box)} />}
        </div>
      </div>
      {found && <Tip found={found} cluster={cluster} size={size} used={used} />}
      <Legend resource={kept.resource} isMeasured={usedOf(used, nodes, kept.resource) !== undefined} />
      <NextCommand view={history!.view} cluster={cluster} />
    </section>
  );
}

const place = (box: Box) =>
  ({ left: `${box.x}px`, top: `${box.y}px`, width: `${box.width}px`, height: `${box.height}px` });

function scrollTo(frame: HTMLElement, box: Box) {
  if (box.y < frame.scrollTop) frame.scrollTop = box.y - 8;
  const below = box.y + box.height + 8 - frame.clientHeight;
  if (below > frame.scrollTop) frame.scrollTop = below;
}

function find(event: MouseEvent, frame: HTMLElement, layout: Layout, cluster: Cluster): Found | null {
  const edge = frame.getBoundingClientRect();
  const [x, y] = [event.clientX - edge.left, event.clientY - edge.top + frame.scrollTop];
  const inside = (area: { x: number; y: number; width: number; height: number }) =>
    x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height;
  const box = layout.boxes.find(inside);
  if (!box) return null;
  const at = { box, x, y: y - frame.scrollTop };
  if (box.by !== "node") {
    return { ...at, node: box.nodes[cellsOf(box).indexAt(x, y)] ?? null, pod: null, isGhost: false };
  }
  const strip = stripsOf(box, cluster, kept.resource).reverse().find(inside);
  return { ...at, node: box.nodes[0]!, pod: strip?.pod ?? null, isGhost: strip?.isGhost ?? false };
}

// A box in words, for those who don't see it.
function describe(box: Box, cluster: Cluster, used: Used): string {
  const usage = usageOf(cluster, box.nodes);
  const words = [box.title];
  if (box.by !== "node") words.push(several(box.nodes.length, "node"));
  else words.push(box.nodes[0]!.zone && `zone ${box.nodes[0]!.zone}`, ...troubles(box.nodes[0]!));
  words.push(...amountsOf(usage, box.nodes, cluster, used), several(usage.pods, "pod"), usage.terminating ? `${count(usage.terminating)} terminating` : "",
    usage.nominated ? `${count(usage.nominated)} nominated` : "");
  return words.filter(Boolean).join(", ");
}

// How much of each resource is requested, and used, in words.
const amountsOf = (usage: Usage, nodes: Node[], cluster: Cluster, used: Used) => cluster.resources
  .filter((resource) => resource !== "pods").map((resource) => {
    const now = usedOf(used, nodes, resource);
    return `${wordFor(resource)} ${requestedOf(usage, nodes, resource)}${now === undefined ? "" : `, ${amountOf(resource, now)} used`}`;
  });

interface TipProps { found: Found; cluster: Cluster; size: { width: number; height: number }; used: Used }

function Tip({ found, cluster, size, used }: TipProps) {
  const { node, pod, box } = found;
  const style = {
    ...(found.x > size.width / 2 ? { right: `${size.width - found.x + 14}px` } : { left: `${found.x + 14}px` }),
    ...(found.y > size.height / 2 ? { bottom: `${size.height - found.y + 40}px` } : { top: `${found.y + 54}px` }),
  };
  if (pod) {
    return (
      <div class="tip" role="tooltip" style={style}>
        <b>{podKey(pod)}</b>
        <span>{classOf(pod)}, priority {count(pod.priority)}</span>
        <span>requests {amountsIn(pod.requests) || "nothing"}</span>
        {pod.devices && <span>has {amountsIn(devicesOf(pod))}</span>}
        <span>{found.isGhost ? `nominated to ${pod.nominatedNode}` : pod.state}{pod.owner && `, of ${pod.owner}`}</span>
      </div>
    );
  }
  const nodes = node ? [node] : box.nodes;
  const usage = usageOf(cluster, nodes);
  return (
    <div class="tip" role="tooltip" style={style}>
      <b>{node ? node.name : box.title}</b>
      {node && <span>{[node.zone && `zone ${node.zone}`, node.pool && `pool ${node.pool}`].filter(Boolean).join(", ")}</span>}
      {amountsOf(usage, nodes, cluster, used).map((amount) => <span>{amount}</span>)}
      <span>{several(usage.pods, "pod")}{usage.terminating > 0 && `, ${count(usage.terminating)} terminating`}</span>
      {node && troubles(node).length > 0 && <span class="bad">{troubles(node).join(", ")}</span>}
      {node?.taints.map((taint) => <span class="faint">{taint}</span>)}
    </div>
  );
}

// What fills a cluster that has nothing to show.
function NextCommand({ view, cluster }: { view: View; cluster: Cluster }) {
  if (cluster.nodes.size && cluster.pods.size) return null;
  const what = cluster.nodes.size ? "pods" : "nodes";
  const command = !view.live ? "podium snapshot > state.yaml; podium plan -f state.yaml --apply FILE --serve"
    : !view.canApply ? `kubectl get ${what} --all-namespaces`
    : what === "nodes" ? "podium up --nodes 3" : "kubectl create deployment web --image=nginx --replicas=3";
  const says = !view.live ? "A state that has some comes from a cluster:"
    : !view.canApply ? "See whether this scheduler's account sees some:"
    : what === "nodes" ? "Start a cluster that has some:" : "With the KUBECONFIG that podium up has printed, make some:";
  return <p class={cluster.nodes.size ? "next" : "empty"}>There are no {what}. {says} <code>{command}</code></p>;
}

interface ToolbarProps { by: string; focus: Focus[]; nodes: Node[]; resources: string[]; zoom(times: number): void;
  change(changed: Partial<typeof kept>): void }

function Toolbar({ by, focus, nodes, resources, change, zoom }: ToolbarProps) {
  return (
    <div class="toolbar">
      <nav aria-label="Which part" class="crumbs">
        <button disabled={!focus.length} onClick={() => change({ focus: [], grouping: "auto" })}>All nodes</button>
        {focus.map((one, index) => (
          <button disabled={index === focus.length - 1} key={one.by}
            onClick={() => change({ focus: focus.slice(0, index + 1), grouping: "auto" })}>
            {titleOf(one)}
          </button>
        ))}
        <span class="faint">{several(nodes.length, "node")}</span>
      </nav>
      {resources.length > 0 && <>
        <label>Show{" "}
          <select value={by === "node" ? "nodes" : by} onChange={(event) => change({ grouping: event.currentTarget.value as Grouping })}>
            <option value="nodes">nodes</option>
            {(["zone", "pool"] as const).filter((one) => !focus.some((step) => step.by === one))
              .map((one) => <option value={one}>{one}s</option>)}
          </select>
        </label>
        <label>Filled by{" "}
          <select value={kept.resource} onChange={(event) => change({ resource: event.currentTarget.value })}>
            {resources.map((resource) => <option value={resource}>{wordFor(resource)}</option>)}
          </select>
        </label>
      </>}
      <span class="pair">
        <button aria-label="Smaller" onClick={() => zoom(1 / 1.4)}>−</button>
        <button aria-label="Larger" onClick={() => zoom(1.4)}>+</button>
      </span>
    </div>
  );
}

// Each sign of the picture in its words.
const SIGNS = [["bound", "bound, not running yet"], ["hatched", "✕ terminating"], ["ghost", "→ nominated"], ["free", "free"],
  ["not-ready", "⚠ not ready"], ["pressure", "⚠ under pressure"], ["cordoned", "⚠ cordoned"]] as const;

// Which colour is which class, of the classes that pods have, and what the signs mean.
function Legend({ resource, isMeasured }: { resource: string; isMeasured: boolean }) {
  const palette = usePalette();
  return (
    <ul class="legend" aria-label="Colours and signs">
      <li class="faint">Filled by {takenFor(resource)} {wordFor(resource)}:</li>
      {palette.classes.map(({ name, value }) => (
        <li key={name}><Swatch colour={palette.ofClass(name)} /> {name}{!/^(priority \d|no class)/.test(name) && <> <small>{count(value)}</small></>}</li>
      ))}
      {isMeasured && <li><i class="swatch used" /> used now</li>}
      {SIGNS.map(([sign, says]) => <li key={sign}><i class={`swatch ${sign}`} /> {says}</li>)}
    </ul>
  );
}
