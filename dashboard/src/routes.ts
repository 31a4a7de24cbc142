// Which page is shown; it stands in the address, so that links and Back work.
import { useLayoutEffect, useState } from "preact/hooks";

export type Route =
  | { page: "start" | "picture" | "table" | "plan" | "summary" }
  | { page: "pods" | "budgets"; namespace: string; name: string }
  | { page: "workloads"; namespace: string }
  | { page: "workload"; namespace: string; kind: string; name: string }
  | { page: "nodes"; name: string };

export const podLink = (pod: { namespace: string; name: string }) =>
  `#/pods/${encodeURIComponent(pod.namespace)}/${encodeURIComponent(pod.name)}`;
export const budgetLink = (budget: { namespace: string; name: string }) =>
  `#/budgets/${encodeURIComponent(budget.namespace)}/${encodeURIComponent(budget.name)}`;
// Of a namespace, or of all.
export const workloadsLink = (namespace = "") => `#/workloads/${encodeURIComponent(namespace)}`;
export const workloadLink = (one: { namespace: string; kind: string; name: string }) =>
  `${workloadsLink(one.namespace)}/${encodeURIComponent(one.kind)}/${encodeURIComponent(one.name)}`;
export const nodeLink = (name: string) => `#/nodes/${encodeURIComponent(name)}`;
export const open = (link: string) => { location.hash = link; };

export function routeOf(hash: string): Route {
  const [page, ...names] = hash.replace(/^#\//, "").split("/").map(decoded);
  if ((page === "pods" || page === "budgets") && names.length === 2) return { page, namespace: names[0]!, name: names[1]! };
  if (page === "workloads" && names.length === 3) return { page: "workload", namespace: names[0]!, kind: names[1]!, name: names[2]! };
  if (page === "workloads") return { page, namespace: names[0] ?? "" };
  if (page === "nodes" && names.length === 1) return { page, name: names[0]! };
  if (!hash) return { page: "start" };
  return { page: page === "table" || page === "plan" || page === "summary" ? page : "picture" };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(routeOf(location.hash));
  useLayoutEffect(() => {
    const follow = () => {
      if (location.hash.startsWith("#token=")) location.reload();
      else setRoute(routeOf(location.hash));
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}
