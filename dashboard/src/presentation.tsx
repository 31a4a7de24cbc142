// What is told to people, as the server composes it: explanations and plans.
import { Breakable } from "./names";
import { nodeLink, podLink, workloadLink } from "./routes";
import { useStore } from "./store";
import { SortedTable, type Column } from "./table";
import type { Bars, Block, Branch, Cell, Piece, Presentation, Section, Table } from "./shapes";

export function Told({ presentation, isOpen = false }: { presentation: Presentation; isOpen?: boolean }) {
  return (
    <article class="told">
      {presentation.headline && <p class="headline">{presentation.headline}</p>}
      {presentation.sections.map((section, index) => <Part key={index} section={section} isOpen={isOpen} />)}
    </article>
  );
}

function Part({ section, isOpen }: { section: Section; isOpen: boolean }) {
  const blocks = section.blocks.filter(isFilled).map((block, index) => <One key={index} block={block} about={section.title} />);
  if (!blocks.length) return null;
  if (section.isDetail) return <details open={isOpen}><summary>{section.title}</summary>{blocks}</details>;
  return <section>{section.title && <h2>{section.title}</h2>}{blocks}</section>;
}

function isFilled(block: Block): boolean {
  if ("items" in block) return block.items.length > 0;
  if ("branches" in block) return block.branches.length > 0;
  if ("rows" in block) return block.rows.length > 0;
  return "png" in block ? block.png !== "" : block.text !== "";
}

function One({ block, about }: { block: Block; about: string }) {
  if ("items" in block) return <ul>{block.items.map((item) => <li><Breakable text={item} /></li>)}</ul>;
  if ("png" in block) return <img alt={block.says} src={`data:image/png;base64,${block.png}`} />;
  if ("branches" in block) return <Branches branches={block.branches} />;
  if ("title" in block) return <Columns table={block} about={about} />;
  if ("rows" in block) return <BarsBeside bars={block} />;
  return <p class={block.tone}><Breakable text={block.text} /></p>;
}

function Columns({ table, about }: { table: Table; about: string }) {
  const isNumber = table.headers.map((_, column) => table.rows.every((row) => NUMBER.test(textOf(row[column]!))));
  const columns = table.headers.map((title, column): Column<Cell[]> => ({
    title,
    value: (row) => (isNumber[column] ? amountOf(textOf(row[column]!)) : textOf(row[column]!)),
    cell: (row) => <Named text={textOf(row[column]!)} isPod={PODS.test(title)} />,
    tone: (row) => toneOf(row[column]!),
  }));
  return (
    <figure>
      {table.title && <figcaption>{table.title}</figcaption>}
      <SortedTable label={table.title || about || "Table"} rows={table.rows} columns={columns} />
      {table.notes.map((note) => <p class="faint">{note}</p>)}
    </figure>
  );
}

// The columns that name pods, `namespace/name`.
const PODS = /^(pod|victim|preemptor|gives way)/i;
const POD = /^([a-z0-9.-]+)\/([a-z0-9.-]+)$/;

// A pod or its controller, as reports name them.
const WORKLOAD = /^([A-Z]\w+) ([a-z0-9.-]+)\/([a-z0-9.-]+)$/;
const linkOf = (one: { kind: string; namespace: string; name: string }) => (one.kind === "Pod" ? podLink(one) : workloadLink(one));

// A text with links where it names nodes, pods or workloads.
function Named({ text, isPod }: { text: string; isPod: boolean }) {
  const nodes = useStore().history?.cluster.nodes;
  const names = text.split(", ");
  return <>{names.map((name, index) => {
    const pod = isPod ? POD.exec(name) : null;
    const [, kind, namespace, named] = WORKLOAD.exec(name) ?? [];
    const link = nodes?.has(name) ? nodeLink(name) : pod ? podLink({ namespace: pod[1]!, name: pod[2]! })
      : kind ? linkOf({ kind, namespace: namespace!, name: named! }) : "";
    return <>{index > 0 && ", "}{link ? <a href={link}>{name}</a> : <Breakable text={name} />}</>;
  })}</>;
}

const NUMBER = /^([-−]?[\d.,]+( [×✕])?)?$/;
const amountOf = (text: string) => Number(text.replace("−", "-").replace(/,| [×✕]/g, ""));
const textOf = (cell: Cell) => (typeof cell === "string" ? cell : cell.text);
const toneOf = (cell: Cell) => (typeof cell === "string" ? "" : cell.tone);

function Branches({ branches }: { branches: Branch[] }) {
  return (
    <ul class="tree">
      {branches.map((one) => (
        <li><span class={one.tone}>{one.text}</span>{one.branches.length > 0 && <Branches branches={one.branches} />}</li>
      ))}
    </ul>
  );
}

function BarsBeside({ bars: { headers, rows, notes } }: { bars: Bars }) {
  return (
    <figure>
      <table class="bars">
        <thead><tr>{headers.map((header) => <th>{header}</th>)}</tr></thead>
        <tbody>
          {rows.map(([name, bars]) => (
            <tr><th scope="row">{name}</th>{bars.map((bar, index) => <td data-label={headers[index + 1]}><Bar pieces={bar} /></td>)}</tr>
          ))}
        </tbody>
      </table>
      {notes.map((note) => <p class="faint">{note}</p>)}
    </figure>
  );
}

const Bar = ({ pieces }: { pieces: Piece[] }) => (
  <div class="bar">
    {pieces.map((piece) => (
      <span class={`${piece.tone} ${piece.text ? "" : "gap"}`} title={piece.text} style={{ width: `${piece.share * 100}%` }}>{piece.text}</span>
    ))}
  </div>
);
