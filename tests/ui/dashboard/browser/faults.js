// What is wrong with a page, for whoever looks at it or touches it: pairs of a rule and elements.
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const FINGER = 43.5;
const texts = (elements) => [...elements].slice(0, 5).map((one) => one.outerHTML.slice(0, 160));

globalThis.faultsOf = async (isTouched) => {
  const found = [];
  const all = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
  const edge = (one) => one.getBoundingClientRect().right;
  if (document.documentElement.scrollWidth > innerWidth) {
    found.push(["wider than the screen", texts(all("body *").filter((one) => edge(one) > innerWidth + 1))]);
  }
  // A target in a sentence is as high as its line.
  const small = isTouched ? all("a, button, select, input, textarea, summary").filter((one) => {
    const { width, height } = one.getBoundingClientRect();
    return Math.min(width, height) < FINGER && !one.closest(".told p, .told li");
  }) : [];
  if (small.length) found.push(["too small for a finger", texts(small)]);
  if (isTouched) {
    const cut = all("main *").filter((one) => one.scrollWidth > one.clientWidth + 1
      && getComputedStyle(one).overflowX === "hidden" && one.clientWidth);
    if (cut.length) found.push(["cut", texts(cut)]);
  }
  if (globalThis.axe) {
    const { violations } = await axe.run(document, { runOnly: RULES });
    found.push(...violations.map(({ id, nodes }) => [id, nodes.slice(0, 5).map((node) => node.html.slice(0, 160))]));
  }
  return found;
};
