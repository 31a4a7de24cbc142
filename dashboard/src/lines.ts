// Entries as lines: equal ones are one with a count, and many of one kind at once are one too.
import type { LaidEntry } from "./lanes";
import type { Entry } from "./shapes";

// With those that are folded into it, of which there may be more than were read.
export interface Line { key: string; entry: Entry & Partial<LaidEntry>; firstS: number; times: number; others: Line[]; isCut: boolean }

// So many of one kind are folded, if no more time than this lies between one and the next.
const FOLDED_FROM = 6;
const APART_S = 60;
// How much is read for a line, and at least, as all that there is may fold into a few.
const READ_PER_LINE = 20;
const READ_AT_LEAST = 3_000;

// The latest come first.
export function linesOf(entries: Iterable<Line["entry"]>, linesMax: number, isFolded = false): Line[] {
  const lines = new Map<string, Line>();
  const readMax = isFolded ? Math.max(linesMax * READ_PER_LINE, READ_AT_LEAST) : linesMax;
  for (const entry of entries) {
    const key = `${entry.type} ${entry.kind} ${entry.namespace}/${entry.name} ${entry.text} ${entry.preemptor}`;
    const line = lines.get(key);
    if (line) [line.times, line.firstS] = [line.times + 1, entry.atS];
    else if (lines.size === readMax) break;
    else lines.set(key, { key, entry, firstS: entry.atS, times: 1, others: [], isCut: false });
  }
  return isFolded ? folded([...lines.values()], lines.size === readMax).slice(0, linesMax) : [...lines.values()];
}

function folded(lines: Line[], isCut: boolean): Line[] {
  const groups = new Map<string, Line[]>();
  const heads = new Map<Line, Line[]>();
  for (const line of lines) {
    const { type, kind, atS } = line.entry;
    const key = `${type} ${kind}`;
    const group = groups.get(key);
    if (group && group[group.length - 1]!.entry.atS - atS <= APART_S) group.push(line);
    else {
      const begun = [line];
      groups.set(key, begun);
      heads.set(line, begun);
    }
  }
  const large = [...heads.values()].filter((group) => group.length >= FOLDED_FROM);
  const hidden = new Set(large.flatMap((group) => group.slice(1)));
  return lines.filter((line) => !hidden.has(line)).map((line) => {
    const [, ...others] = heads.get(line) ?? [line];
    return others.length + 1 < FOLDED_FROM ? line : { ...line, others, firstS: others[others.length - 1]!.firstS, isCut: isCut && others[others.length - 1] === lines[lines.length - 1] };
  });
}
