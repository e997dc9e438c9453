// Runs before the first paint, so that a chosen theme never flashes the other one. Inline code is not allowed here.
try {
  var chosen = localStorage.getItem("wonder.theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage is switched off: the system's theme is used.
}
