// Amounts and times as people read them.

const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const some = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export const count = (amount: number) => plain.format(amount);
// An amount of things that may have parts.
export const parts = (amount: number) => some.format(amount);
export const several = (amount: number, what: string) => `${count(amount)} ${what}${amount === 1 ? "" : "s"}`;

export function cpu(milli: number): string {
  if (milli === 0) return "0";
  if (milli < 1000) return `${plain.format(milli)}m`;
  return new Intl.NumberFormat("en", { maximumFractionDigits: milli < 100_000 ? 1 : 0 }).format(milli / 1000);
}

const UNITS = ["B", "Ki", "Mi", "Gi", "Ti", "Pi"];

export function bytes(amount: number): string {
  if (amount === 0) return "0";
  let unit = 0;
  while (amount >= 1024 && unit < UNITS.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  return `${amount < 10 && unit ? Math.round(amount * 10) / 10 : plain.format(amount)} ${UNITS[unit]}`;
}

export const percent = (part: number, whole: number) => whole ? `${Math.round((100 * part) / whole)} %` : "–";

// Seconds since the start, such as 1:02:03; with a decimal below a minute.
export function elapsed(atS: number): string {
  if (atS <= -0.1) return `−${elapsed(-atS)}`;
  const whole = Math.max(0, Math.floor(atS));
  const pad = (amount: number) => String(amount).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tenth = whole < 60 && atS > whole ? `.${Math.floor((atS - whole) * 10)}` : "";
  return hours ? `${hours}:${pad(minutes)}:${pad(seconds)}` : `${minutes}:${pad(seconds)}${tenth}`;
}

// The wall clock of a moment, in UTC: with its date only if that isn't the date of another moment.
export function wallTime(clock: string, atS: number, otherS: number): string {
  const [time, other] = [clockTime(clock, atS), clockTime(clock, otherS)];
  return time.slice(0, 10) === other.slice(0, 10) ? time.slice(11) : time.slice(5);
}

// The wall clock of a moment, in UTC.
export function clockTime(clock: string, atS: number): string {
  const start = Date.parse(clock);
  if (Number.isNaN(start)) return "";
  return new Date(start + atS * 1000).toISOString().replace("T", " ").slice(0, 19);
}
