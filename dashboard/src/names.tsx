// Names in order, and long ones cut where they say least: never the part that tells them apart.
const named = new Intl.Collator("en", { numeric: true });
export const byName = (a: string, b: string) => named.compare(a, b);

const SPLIT_FROM = 20;
const TELLING = 14;

// The end that all names have in common, such as a domain; empty where it isn't worth cutting.
export function commonEnding(names: Iterable<string>): string {
  let ending: string | null = null;
  let several = false;
  for (const name of names) {
    if (ending === null) {
      ending = fromDot(name, 0);
      continue;
    }
    several = true;
    while (ending && !name.endsWith(ending)) ending = fromDot(ending, 1);
    if (!ending) break;
  }
  return several ? ending ?? "" : "";
}

function fromDot(name: string, from: number): string {
  const dot = name.indexOf(".", from);
  return dot < 0 ? "" : name.slice(dot);
}

// A name in so many letters: without the common ending first, then without its middle.
export function shortened(name: string, letters: number, ending = ""): string {
  if (name.length <= letters) return name;
  if (letters < 3) return "";
  const own = name.endsWith(ending) ? name.slice(0, name.length - ending.length) : name;
  if (own.length < letters) return `${name.slice(0, letters - 1)}…`;
  const tail = Math.ceil((letters - 1) * 0.6);
  return `${own.slice(0, letters - 1 - tail)}…${own.slice(-tail)}`;
}

// A name that is cut where there isn't room for it.
export function Name({ name, ending = "" }: { name: string; ending?: string }) {
  if (name.length < SPLIT_FROM) return <>{name}</>;
  if (ending && name.endsWith(ending)) {
    return <span class="name"><span class="telling">{name.slice(0, -ending.length)}</span><span class="rest">{ending}</span></span>;
  }
  return <span class="name"><span class="rest">{name.slice(0, -TELLING)}</span><span class="telling">{name.slice(-TELLING)}</span></span>;
}

// A text that may be broken after commas, slashes and equals signs, before it is within words.
export const Breakable = ({ text }: { text: string }) =>
  <>{text.split(/(?<=[,/=])(?=\S)/).map((part, index) => (index ? [<wbr />, part] : part))}</>;
