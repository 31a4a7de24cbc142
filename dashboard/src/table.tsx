// Tables that sort, filter and page; where the screen is narrow, each row is a stack of lines.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { count } from "./format";
import { byName } from "./names";

const ROWS = 100;
// Fewer rows are seen at a glance.
const ROWS_AT_A_GLANCE = 5;

export interface Column<Row> {
  title: string;
  // What rows are sorted and found by; numbers stand at the right.
  value(row: Row): string | number;
  // What is shown, if that is something else.
  cell?(row: Row): ComponentChildren;
  tone?(row: Row): string;
}

interface TableProps<Row> { label: string; columns: Column<Row>[]; rows: Row[]; className?: string }

export function SortedTable<Row>({ label, columns: all, rows, className = "" }: TableProps<Row>) {
  const columns = all.filter((column) => rows.some((row) => column.value(row) !== ""));
  const [order, setOrder] = useState({ column: -1, isDown: false });
  const [words, setWords] = useState("");
  const [from, setFrom] = useState(0);
  const isLong = rows.length > ROWS_AT_A_GLANCE;
  const numeric = columns.map((column) => rows.length > 0 && typeof column.value(rows[0]!) === "number");
  const wanted = words.trim().toLowerCase();
  const found = wanted
    ? rows.filter((row) => columns.some((column) => String(column.value(row)).toLowerCase().includes(wanted)))
    : rows;
  const by = columns[order.column];
  const sorted = by ? [...found].sort((a, b) => (order.isDown ? -1 : 1) * compared(by.value(a), by.value(b))) : found;
  const first = from < sorted.length ? from : 0;
  const sort = (column: number) => {
    // A first look at numbers is for the largest.
    setOrder({ column, isDown: order.column === column ? !order.isDown : numeric[column]! });
    setFrom(0);
  };
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label={label}>
      {isLong && (
        <div class="table-tools">
          <input type="search" aria-label={`Filter ${label}`} placeholder="Filter" value={words}
            onInput={(event) => { setWords(event.currentTarget.value); setFrom(0); }} />
          <span class="faint" role="status">{wanted ? `${count(sorted.length)} of ${count(rows.length)}` : count(rows.length)}</span>
          {sorted.length > ROWS && <Pages from={first} rows={sorted.length} go={setFrom} nameOf={(row) => String(columns[0]!.value(sorted[row]!))} />}
        </div>
      )}
      <table class={className}>
        <thead>
          <tr>
            {columns.map(({ title }, index) => (
              <th scope="col" class={numeric[index] ? "number" : ""}
                aria-sort={order.column === index ? (order.isDown ? "descending" : "ascending") : undefined}>
                {isLong && title ? <button class="sort" onClick={() => sort(index)}>{title}</button> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(first, first + ROWS).map((row) => (
            <tr>{columns.map((column, index) => <TableCell column={column} row={row} isNumber={numeric[index]!} isFirst={!index} />)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps<Row> { column: Column<Row>; row: Row; isNumber: boolean; isFirst: boolean }

function TableCell<Row>({ column, row, isNumber, isFirst }: CellProps<Row>) {
  const value = column.value(row);
  const shown = column.cell ? column.cell(row) : typeof value === "number" ? count(value) : value;
  const tone = column.tone?.(row) ?? "";
  const kind = `${isNumber ? "number " : ""}${tone}`;
  if (isFirst) return <th scope="row" class={kind}>{shown}</th>;
  return <td class={kind} data-label={column.title}>{value !== "" && <span>{shown}</span>}</td>;
}

interface PagesProps { from: number; rows: number; go(from: number): void; nameOf(row: number): string }

// Each page by the name that it begins with.
function Pages({ from, rows, go, nameOf }: PagesProps) {
  const firsts = Array.from({ length: Math.ceil(rows / ROWS) }, (_, page) => page * ROWS);
  return (
    <span class="pages">
      <button aria-label="Page before" disabled={!from} onClick={() => go(from - ROWS)}>‹</button>
      <select aria-label="Page" value={from} onChange={(event) => go(Number(event.currentTarget.value))}>
        {firsts.map((first) => <option value={first}>{count(first + 1)}: {nameOf(first)}</option>)}
      </select>
      <button aria-label="Page after" disabled={from + ROWS >= rows} onClick={() => go(from + ROWS)}>›</button>
    </span>
  );
}

const compared = (a: string | number, b: string | number) =>
  typeof a === "number" && typeof b === "number" ? a - b : byName(String(a), String(b));
