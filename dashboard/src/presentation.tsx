// What is told to people, as the server composes it: explanations and plans.
import type { Bars, Block, Branch, Cell, Piece, Presentation, Section, Table } from "./shapes";

export function Told({ presentation }: { presentation: Presentation }) {
  return (
    <article class="told">
      {presentation.headline && <p class="headline">{presentation.headline}</p>}
      {presentation.sections.map((section, index) => <Part key={index} section={section} />)}
    </article>
  );
}

function Part({ section }: { section: Section }) {
  const blocks = section.blocks.map((block, index) => <One key={index} block={block} />);
  if (!section.blocks.length) return null;
  if (section.isDetail) return <details><summary>{section.title}</summary>{blocks}</details>;
  return <section>{section.title && <h2>{section.title}</h2>}{blocks}</section>;
}

function One({ block }: { block: Block }) {
  if ("items" in block) return <ul>{block.items.map((item) => <li>{item}</li>)}</ul>;
  if ("png" in block) return <img alt={block.says} src={`data:image/png;base64,${block.png}`} />;
  if ("branches" in block) return <Branches branches={block.branches} />;
  if ("title" in block) return <Columns table={block} />;
  if ("rows" in block) return <BarsBeside bars={block} />;
  return block.text ? <p class={block.tone}>{block.text}</p> : null;
}

function Columns({ table }: { table: Table }) {
  if (!table.rows.length) return null;
  return (
    <figure>
      {table.title && <figcaption>{table.title}</figcaption>}
      <div class="scroll-x" tabIndex={0} role="region" aria-label={table.title || "Table"}>
        <table>
          <thead><tr>{table.headers.map((header) => <th scope="col">{header}</th>)}</tr></thead>
          <tbody>{table.rows.map((row) => <tr>{row.map((cell) => <TableCell cell={cell} />)}</tr>)}</tbody>
        </table>
      </div>
      {table.notes.map((note) => <p class="faint">{note}</p>)}
    </figure>
  );
}

function TableCell({ cell }: { cell: Cell }) {
  const { text, tone } = typeof cell === "string" ? { text: cell, tone: "" } : cell;
  return <td class={/^[-−]?[\d.,]+( [×✕])?$/.test(text) ? `number ${tone}` : tone}>{text}</td>;
}

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
            <tr><th scope="row">{name}</th>{bars.map((bar) => <td><Bar pieces={bar} /></td>)}</tr>
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
