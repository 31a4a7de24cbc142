// Light or dark: as the system has it, until the reader chooses.
import { useLayoutEffect, useState } from "preact/hooks";

const KEY = "podium-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

export const isDark = () => (localStorage.getItem(KEY) ?? (system.matches ? "dark" : "light")) === "dark";

export function applyTheme() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const watcher of watchers) watcher();
}

export function toggleTheme() {
  localStorage.setItem(KEY, isDark() ? "light" : "dark");
  applyTheme();
}

system.addEventListener("change", applyTheme);

export function useTheme() {
  const [dark, setDark] = useState(isDark());
  useLayoutEffect(() => {
    const watcher = () => setDark(isDark());
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, []);
  return { isDark: dark };
}
