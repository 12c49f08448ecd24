// Apply the chosen theme of the pages and of the board before anything is drawn; without a choice, follow the system.
try {
  const theme = localStorage.getItem("isolarium-theme") ?? localStorage.getItem("isolab-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const board = localStorage.getItem("isolarium-board");
  if (["wood", "sea", "contrast"].includes(board)) document.documentElement.dataset.board = board;
} catch {
  // Without storage, follow the system.
}
