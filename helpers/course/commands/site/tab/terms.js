// The filter box of the page of terms: rows without the typed words are hidden.
const box = document.querySelector("input");
const rows = [...document.querySelectorAll("tbody tr")].map((row) => [row, row.textContent.toLowerCase()]);
function filter() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const [row, text] of rows) {
    row.hidden = !words.every((word) => text.includes(word));
    shown += !row.hidden;
  }
  document.querySelector("output").textContent = `${shown} of ${rows.length} terms`;
}
box.addEventListener("input", filter);
filter();
