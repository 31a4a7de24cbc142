// Saves the page that is shown as one file, which opens without a server and prints on paper.

const IN_A_FILE = `html, body, main, .page { height: auto; overflow: visible; }
  @media print { details::details-content { content-visibility: visible; block-size: auto; } }`;

export function savePage() {
  const main = document.querySelector("main")!;
  const saved = main.cloneNode(true) as HTMLElement;
  const pictures = main.querySelectorAll("canvas");
  saved.querySelectorAll("canvas").forEach((canvas, number) => {
    const image = document.createElement("img");
    image.src = pictures[number]!.toDataURL();
    image.width = pictures[number]!.clientWidth;
    image.alt = canvas.getAttribute("aria-label") ?? "";
    canvas.replaceWith(image);
  });
  // What leads to the server, or waits for an answer of it.
  saved.querySelectorAll("th button").forEach((sorting) => sorting.replaceWith(sorting.textContent!));
  saved.querySelectorAll("textarea").forEach((field) => {
    const text = document.createElement("pre");
    text.textContent = field.value;
    field.replaceWith(text);
  });
  saved.querySelectorAll("button, input, select, form").forEach((field) => field.remove());
  saved.querySelectorAll("a").forEach((link) => link.removeAttribute("href"));
  const root = document.documentElement.cloneNode() as HTMLElement;
  const head = document.createElement("head");
  const style = document.createElement("style");
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  style.textContent = [...rules.map((rule) => rule.cssText), IN_A_FILE].join("\n");
  const title = document.createElement("title");
  title.textContent = document.title;
  const charset = document.createElement("meta");
  charset.setAttribute("charset", "utf-8");
  head.append(charset, title, style);
  const body = document.createElement("body");
  body.append(saved);
  root.append(head, body);
  const whole = document.createElement("div");
  whole.append(root);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob(["<!DOCTYPE html>\n", whole.getHTML()], { type: "text/html" }));
  link.download = `${document.title.replace(/[^\w.-]+/g, "-")}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}
