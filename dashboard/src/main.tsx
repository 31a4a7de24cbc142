// The dashboard: the page around its parts, and the keys.
import { render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import "./app.css";
import { BudgetView } from "./budget_page";
import { tokenOfLink } from "./connection";
import { several } from "./format";
import { NodeView } from "./node_page";
import { NodeTable } from "./node_table";
import { Panels } from "./panels";
import { Picture } from "./picture";
import { PodView } from "./pod_page";
import { Told } from "./presentation";
import { open, useRoute, type Route } from "./routes";
import { savePage } from "./save";
import { Search } from "./search";
import type { View } from "./shapes";
import { Trouble } from "./sign_in";
import { store, useStore } from "./store";
import { applyTheme, toggleTheme, useTheme } from "./theme";
import { Timeline } from "./timeline";
import { WhatIf } from "./what_if";
import { WorkloadView } from "./workload_page";
import { WorkloadList, WorkloadsDown } from "./workload_list";

// The pages that there are; a cluster can't be asked everything, a run that is over even less.
const pagesOf = (view: View | undefined) => [
  ...(view?.summary ? [["#/summary", "summary", "Summary"] as const] : []),
  ["#/", "picture", "Picture"] as const, ["#/workloads", "workloads", "Workloads"] as const, ["#/table", "table", "Table"] as const,
  ...(view?.canPlan ? [["#/plan", "plan", "What if"] as const] : []),
];

const KEYS = [
  ["/", "find a workload, pod or node"], ["?", "these keys"], ["Esc", "back"], ["g, l, t", "picture, workloads, table"], ["d", "dark or light"],
  ["arrows", "among nodes; in the slider: a step"], ["Enter", "open the box"], ["+ −", "larger and smaller boxes"],
  ["[ ]", "a step back, a step on"], ["n", "back to now"], ["Tab", "to all the rest"],
];

function App() {
  const { history } = useStore();
  const route = startOf(useRoute(), history?.view);
  const help = useRef<HTMLDialogElement>(null);
  const main = useRef<HTMLElement>(null);
  const title = titleOf(route, history?.view);
  useLayoutEffect(() => { document.title = title; }, [title]);
  useKeys(route, () => help.current!.showModal());
  // Before anybody can press the next key.
  useLayoutEffect(() => { main.current?.querySelector<HTMLElement>("h1, .boxes")?.focus({ preventScroll: true }); main.current?.scrollTo(0, 0); scrollTo(0, 0); },
    [location.hash, history === null]);
  const isCluster = route.page === "picture" || route.page === "table";
  return (
    <>
      <Header route={route} help={() => help.current!.showModal()} />
      <Trouble />
      <main ref={main} class={history && isCluster ? "with-panels" : ""}>
        {history && route.page === "picture" && <WorkloadsDown />}
        {history ? <Shown route={route} /> : <Waiting />}
        {history && isCluster && <Panels />}
      </main>
      {history && <Timeline hasEntries={isCluster} />}
      <dialog ref={help} aria-label="Keys">
        <h2>Keys</h2>
        <dl>{[...KEYS, ...(history?.view.canPlan ? [["w", "what if"]] : [])].map(([key, says]) => <div><dt><kbd>{key}</kbd></dt><dd>{says}</dd></div>)}</dl>
        <form method="dialog"><button class="primary">Close</button></form>
      </dialog>
    </>
  );
}

// A plan is opened for its summary.
const startOf = (route: Route, view: View | undefined): Route =>
  route.page === "start" ? { page: view?.summary ? "summary" : "picture" } : route;

function titleOf(route: Route, view: View | undefined): string {
  const shown = "kind" in route ? `${route.kind}/${route.name}` : route.page === "nodes" ? route.name
    : route.page === "pods" || route.page === "budgets" ? `${route.namespace}/${route.name}`
    : pagesOf(view).find(([, page]) => page === route.page)?.[2];
  return [shown, view?.title ?? "Podium"].filter(Boolean).join(" · ");
}

function Shown({ route }: { route: Route }) {
  switch (route.page) {
    case "pods": return <PodView key={`${route.namespace}/${route.name}`} namespace={route.namespace} name={route.name} />;
    case "budgets": return <BudgetView key={`${route.namespace}/${route.name}`} namespace={route.namespace} name={route.name} />;
    case "workload": return <WorkloadView key={`${route.namespace}/${route.kind}/${route.name}`} {...route} />;
    case "workloads": return <WorkloadList key={route.namespace} namespace={route.namespace} />;
    case "nodes": return <NodeView key={route.name} name={route.name} />;
    case "table": return <NodeTable />;
    case "plan": return <WhatIf />;
    case "summary": return <Summary />;
    default: return <Picture />;
  }
}

function Summary() {
  const { view } = useStore().history!;
  return (
    <div class="page">
      <h1 tabIndex={-1}>Summary <small>of {view.title}</small></h1>
      {view.summary && <Told presentation={view.summary} />}
    </div>
  );
}

function Waiting() {
  const { connection } = useStore();
  return connection.state === "connecting" ? <p class="empty" role="status">Fetching the cluster…</p> : null;
}

function Header({ route, help }: { route: Route; help(): void }) {
  const { history } = useStore();
  const { isDark } = useTheme();
  // The other pages have a heading of their own.
  const Brand = route.page === "picture" ? "h1" : "b";
  return (
    <header>
      <Brand class="brand">Podium</Brand>
      <span class="title">{history?.view.title}</span>
      <nav aria-label="Pages">
        {pagesOf(history?.view).map(([link, page, title]) => <a href={link} aria-current={route.page === page ? "page" : undefined}>{title}</a>)}
      </nav>
      <Search />
      {history && <span class="totals">{several(history.cluster.nodes.size, "node")}, {several(history.cluster.pods.size, "pod")}</span>}
      <Connected />
      {history && <button aria-label="Save" title="Save this page as a file" onClick={savePage}>⤓</button>}
      <button aria-label={isDark ? "Light" : "Dark"} title="Dark or light (d)" onClick={toggleTheme}>{isDark ? "☀" : "☾"}</button>
      <button aria-label="Keys" title="Keys (?)" onClick={help}>?</button>
    </header>
  );
}

function Connected() {
  const { connection: { state }, history } = useStore();
  const words = { connecting: "Connecting", finished: "Finished run", lost: "Connection lost", refused: "Not signed in", live: "Live" }[state];
  const isPast = history && !history.follows && (state === "live" || state === "finished");
  return (
    <span class={`connection ${state}`} role="status">
      <i aria-hidden="true" /> {isPast ? `${words}, looking back` : words}
    </span>
  );
}

function useKeys(route: Route, help: () => void) {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (event.key === "Escape") {
        if (target.matches("input, textarea, select")) target.blur();
        else if (route.page !== "picture") open("#/");
        return;
      }
      if (target.matches("input:not([type=range]), textarea, select")) return;
      const history = store.history;
      const acts: Record<string, () => void> = {
        "/": () => document.getElementById("search")!.focus(),
        "?": help,
        g: () => open("#/"), l: () => open("#/workloads"), t: () => open("#/table"), w: () => history?.view.canPlan && open("#/plan"), d: toggleTheme,
        "[": () => history && store.go(history.position - 1), "]": () => history && store.go(history.position + 1),
        n: () => history && store.go(history.last),
      };
      if (!Object.hasOwn(acts, event.key)) return;
      event.preventDefault();
      acts[event.key]!();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [route.page]);
}

tokenOfLink();
applyTheme();
render(<App />, document.getElementById("app")!);
store.start();
