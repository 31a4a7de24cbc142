// What happened when, and the slider through time.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { laneOfGroup } from "./disruptions";
import { clockTime, count, elapsed } from "./format";
import type { History } from "./history";
import { LANES, type Lane } from "./lanes";
import { linesOf } from "./lines";
import { Entries, Lines } from "./parts";
import { usePalette, type Palette } from "./palette";
import { useStore } from "./store";

const LINES_SHOWN = 60;
const TOP_LINES = 3;
const MORE_LINES = 1_000;
const LANE_HEIGHT = 13;
const PLAY_MS = 120;

export function Timeline({ hasEntries }: { hasEntries: boolean }) {
  const store = useStore();
  const history = store.history!;
  const [lane, setLane] = useState<Lane | "">("");
  const [linesMax, setLinesMax] = useState(LINES_SHOWN);
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setInterval(() => {
      if (history.position >= history.last) setPlaying(false);
      else store.go(history.position + 1);
    }, PLAY_MS);
    return () => clearInterval(timer);
  }, [isPlaying, history]);
  const play = () => {
    if (!isPlaying && history.position >= history.last) store.go(0);
    setPlaying(!isPlaying);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -20, PageUp: 20 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    store.go(history.position + steps[event.key]!);
  };
  const { firstS, lastS, atS, view } = history;
  const said = `${elapsed(atS)}, ${clockTime(view.clock, atS)}`;
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="controls">
        <button aria-label={isPlaying ? "Stop" : "Play"} disabled={!history.last} onClick={play}>{isPlaying ? "■" : "▶"}</button>
        <output class="now"><b>{elapsed(atS)}</b> <span class="faint">{clockTime(view.clock, atS)} UTC</span></output>
        <span class="faint" id="step">step {count(history.position)} of {count(history.last)}</span>
        {!history.follows && <button class="primary" onClick={() => store.go(history.last)}>{view.live ? "Back to now" : "To the end"}</button>}
        {hasEntries && <Filters lane={lane} choose={(one) => { setLane(one); setLinesMax(LINES_SHOWN); }} />}
      </div>
      <Lanes history={history} version={store.version} />
      <input class="slider" type="range" aria-label="Time" aria-valuetext={said} min={firstS} step="any"
        max={Math.max(lastS, firstS + 0.001)} value={history.follows ? lastS : atS} disabled={!history.last}
        onInput={(event) => { setPlaying(false); store.goTo(event.currentTarget.valueAsNumber); }} onKeyDown={onKeyDown} />
      {hasEntries && (
        <div class="scroll" tabIndex={0} role="region" aria-label="What happened, the latest first">
          <What history={history} lane={lane} linesMax={linesMax} />
          <Rest history={history} lane={lane} linesMax={linesMax} show={() => setLinesMax(linesMax + MORE_LINES)} />
        </div>
      )}
    </section>
  );
}

function Filters({ lane, choose }: { lane: Lane | ""; choose(lane: Lane | ""): void }) {
  return (
    <span class="filters" role="group" aria-label="Which entries">
      {(["", ...LANES] as const).map((one) => (
        <button key={one} aria-pressed={lane === one} onClick={() => choose(one)}>{one || "all"}</button>
      ))}
    </span>
  );
}

// Of all that happens, the last disruptions stand on top, where what is newer doesn't hide them.
function What({ history, lane, linesMax }: { history: History; lane: Lane | ""; linesMax: number }) {
  if (lane) return <Entries entries={history.latest(lane)} linesMax={linesMax} />;
  const top = linesOf(history.disruptedLately(), TOP_LINES, true);
  const keys = new Set(top.map(({ key }) => key));
  const rest = linesOf(history.latest(""), linesMax, true).filter(({ key }) => !keys.has(key));
  return <Lines lines={[...top, ...rest]} onTop={top.length} />;
}

// What the list leaves out.
function Rest({ history, lane, linesMax, show }: { history: History; lane: Lane | ""; linesMax: number; show(): void }) {
  const { isCut, isWhole, all } = history.disruptions;
  const isLong = history.entriesEnd + history.disruptionsEnd > linesMax;
  return (
    <p class="faint">
      {isLong && <button class="more" onClick={show}>{count(MORE_LINES)} more</button>}
      {!isWhole && " Fetching earlier disruptions…"}
      {isCut && lane !== "bound" && ` Of the disruptions, the last ${count(all.length)} are kept.`}
    </p>
  );
}

// A line for each lane, a mark for each entry; many at once are a higher mark.
function Lanes({ history, version }: { history: History; version: number }) {
  const palette = usePalette();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([one]) => setWidth(Math.floor(one!.contentRect.width)));
    observer.observe(canvas.current!.parentElement!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (width) paintLanes(canvas.current!, history, palette, width);
  }, [version, width, palette]);
  return (
    <div class="lanes" aria-hidden="true">
      <ul>{LANES.map((lane) => <li key={lane}>{lane}</li>)}</ul>
      <div><canvas ref={canvas} /></div>
    </div>
  );
}

function paintLanes(canvas: HTMLCanvasElement, history: History, palette: Palette, width: number) {
  const height = LANES.length * LANE_HEIGHT;
  const ratio = devicePixelRatio;
  [canvas.width, canvas.height] = [width * ratio, height * ratio];
  [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  const context = canvas.getContext("2d")!;
  context.scale(ratio, ratio);
  const { firstS, lastS, entries, disruptions, atS } = history;
  const place = (at: number) => 8 + ((at - firstS) / Math.max(lastS - firstS, 0.001)) * (width - 16);
  const amounts = new Map<number, number>();
  const add = (lane: Lane, at: number) => {
    const row = LANES.indexOf(lane as (typeof LANES)[number]);
    if (row < 0 || at < firstS) return;
    const spot = row * 100_000 + Math.round(place(at) / 2) * 2;
    amounts.set(spot, (amounts.get(spot) ?? 0) + 1);
  };
  for (const entry of entries) add(entry.lane, entry.atS);
  for (const one of disruptions.all) add(laneOfGroup(one.group), one.atS);
  context.fillStyle = palette.line;
  LANES.forEach((_, row) => context.fillRect(8, row * LANE_HEIGHT + LANE_HEIGHT - 1, width - 16, 1));
  for (const [spot, amount] of amounts) {
    const [row, x] = [Math.floor(spot / 100_000), spot % 100_000];
    const tall = Math.min(LANE_HEIGHT - 2, 4 + Math.log2(amount) * 2);
    context.fillStyle = row === 0 ? palette.faint : palette.bad;
    context.fillRect(x - 1, row * LANE_HEIGHT + LANE_HEIGHT - 1 - tall, 2, tall);
  }
  context.fillStyle = palette.text;
  context.fillRect(place(atS), 0, 1, height);
}
