"use strict";

// Filters: a row stays if it has the chosen values and contains all words of the search.
for (const form of document.querySelectorAll("[data-filters]")) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const fields = [...form.elements].filter((field) => field.name);
  const count = form.querySelector("[data-count]");
  const nothing = document.querySelector("[data-nothing]");

  const apply = () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = fields.filter((field) => field.name !== "text" && field.value);
    let shown = 0;
    rows.forEach((row, number) => {
      const fits =
        chosen.every((field) => row.dataset[field.name] === field.value) &&
        words.every((word) => texts[number].includes(word));
      row.hidden = !fits;
      shown += fits;
    });
    // Where something is searched for, what is found is not folded.
    if (words.length || chosen.length) {
      for (const section of document.querySelectorAll("details.section")) {
        section.open = Boolean(section.querySelector("[data-row]:not([hidden])"));
      }
    }
    count.textContent = `${shown} of ${rows.length} theorems`;
    nothing.hidden = shown > 0;
  };

  // A link such as page.html?kind=vjp sets the filters.
  const wanted = new URLSearchParams(location.search);
  for (const field of fields) if (wanted.has(field.name)) field.value = wanted.get(field.name);

  // A theorem that a link leads to is shown, whatever the filters say.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    let moved = Boolean(target?.hidden);
    if (moved) {
      form.reset();
      apply();
    }
    for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) {
      if (!fold.open) fold.open = moved = true;
    }
    if (moved) target.scrollIntoView();
  };

  for (const kind of ["input", "change"]) form.addEventListener(kind, apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", reveal);
  addEventListener("keydown", (event) => {
    const search = form.elements.text;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === "Escape" && document.activeElement === search) {
      search.value = "";
      apply();
    }
  });
  apply();
  reveal();
}

// The graph: the lines of the theorem under the pointer or with the focus stand out.
for (const graph of document.querySelectorAll("svg.graph")) {
  const mark = (event) => {
    const box = event.target.closest("a[data-number]");
    graph.classList.toggle("active", Boolean(box));
    for (const path of graph.querySelectorAll("path")) {
      const near = box && path.dataset.ends.split(" ").includes(box.dataset.number);
      path.classList.toggle("near", Boolean(near));
    }
  };
  for (const kind of ["mouseover", "focusin"]) graph.addEventListener(kind, mark);
  for (const kind of ["mouseleave", "focusout"]) {
    graph.addEventListener(kind, () => {
      graph.classList.remove("active");
      for (const path of graph.querySelectorAll("path.near")) path.classList.remove("near");
    });
  }
}
