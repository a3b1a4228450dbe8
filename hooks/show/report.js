"use strict";
(() => {
  const find = document.getElementById("find");
  const shown = document.getElementById("shown");
  const boxes = [...document.querySelectorAll("input.state")];
  const rows = [...document.querySelectorAll("#table tbody tr[data-state]")];
  const filter = () => {
    const wanted = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !wanted.has(row.dataset.state) || !words.every((word) => text.includes(word));
      count += row.hidden ? 0 : 1;
    }
    shown.textContent = count === rows.length ? "" : `${count} of ${rows.length} shown`;
  };
  find.addEventListener("input", filter);
  boxes.forEach((box) => box.addEventListener("change", filter));
})();
