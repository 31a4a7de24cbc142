// Builds the page into podium/ui/dashboard/page, with the digests of the sources it is made of.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const target = "../podium/ui/dashboard/page";

await build({
  entryPoints: { app: "src/main.tsx" },
  outdir: target,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
  banner: { js: "/* Podium's dashboard, Apache-2.0; with Preact, (c) Jason Miller, MIT. */" },
});

const settings = ["build.js", "package.json", "package-lock.json", "tsconfig.json"];
const sources = [...settings, ...readdirSync("src").map((name) => `src/${name}`)].sort();
const digestOf = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const lines = sources.map((path) => `${digestOf(path)}  ${path}\n`);
writeFileSync(`${target}/sources.sha256`, lines.join(""));
writeFileSync(`${target}/index.html`, readFileSync("src/index.html"));
