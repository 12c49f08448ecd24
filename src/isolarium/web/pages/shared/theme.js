// The theme that was chosen, put on before anything is drawn. Nothing chosen: the system's.
try {
  const theme = localStorage.getItem("isolarium-theme") ?? localStorage.getItem("isolab-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing shows the system's theme.
}
