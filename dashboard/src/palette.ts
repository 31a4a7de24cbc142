// Colours by priority class: the higher, the darker (the lighter, on dark), so that they can be
// told apart without hues. Kubernetes' own classes have a colour that none of these comes near,
// whoever looks: tests/ui/dashboard/test_palette.py computes how far apart they are.
import { classOf } from "./cluster";
import type { History } from "./history";
import type { Pod, PriorityClass } from "./shapes";
import { useStore } from "./store";
import { useTheme } from "./theme";

const LIGHT = ["#f3e3a9", "#b0cc80", "#74bd94", "#3d9fa3", "#3a79ad", "#4c51a1", "#4b2a78"];
const DARK = ["#4c4a78", "#4562a3", "#3f86b3", "#43aaa6", "#77cb90", "#b3d778", "#f6f0a2"];
const SYSTEM = "#786459";

export interface Palette { text: string; box: string; line: string; faint: string; empty: string;
  bad: string; warn: string; classes: PriorityClass[]; ofClass(name: string): string; ofPod(pod: Pod): string }

export const isSystem = (name: string) => name.startsWith("system-");

// The classes that pods may have, lowest first.
function classesOf({ view, cluster }: History): PriorityClass[] {
  const known = view.priorityClasses.map(({ name, value }): [string, number] => [name, value]);
  return [...new Map([...cluster.classes, ...known])].map(([name, value]) => ({ name, value }))
    .sort((a, b) => a.value - b.value);
}

// The palette of what is shown, as the style sheet has it for light or dark.
export function usePalette(): Palette {
  const history = useStore().history!;
  const { isDark } = useTheme();
  const key = [history.view.priorityClasses, history.cluster.classes.size, isDark, history];
  if (!last || key.some((one, index) => one !== last!.key[index])) last = { key, palette: makePalette(classesOf(history), isDark) };
  return last.palette;
}

let last: { key: unknown[]; palette: Palette } | null = null;

function makePalette(classes: PriorityClass[], isDark: boolean): Palette {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const own = classes.filter((one) => !isSystem(one.name)).map((one) => one.name);
  const colours = new Map(own.map((name, rank) => [name, ramp(rank, own.length, isDark)]));
  const ofClass = (name: string) => colours.get(name) ?? SYSTEM;
  return { text: of("text"), box: of("box"), line: of("line"), faint: of("faint"), empty: of("empty"), bad: of("bad"),
    warn: of("warn"), classes, ofClass, ofPod: (pod) => ofClass(classOf(pod)) };
}

function ramp(rank: number, ranks: number, isDark: boolean): string {
  const colours = isDark ? DARK : LIGHT;
  const at = ranks < 2 ? 2 : (rank * (colours.length - 1)) / (ranks - 1);
  const [low, high] = [colours[Math.floor(at)]!, colours[Math.ceil(at)]!];
  const mixed = [1, 3, 5].map((from) => {
    const [a, b] = [low, high].map((colour) => parseInt(colour.slice(from, from + 2), 16)) as [number, number];
    return Math.round(a + (b - a) * (at % 1)).toString(16).padStart(2, "0");
  });
  return `#${mixed.join("")}`;
}

// Black or white, whichever can be read on a colour.
export function textOn(colour: string): string {
  const [red, green, blue] = [1, 3, 5].map((from) => parseInt(colour.slice(from, from + 2), 16)) as
    [number, number, number];
  return red * 0.299 + green * 0.587 + blue * 0.114 > 115 ? "#14181d" : "#ffffff";
}
