// Apply the chosen theme before anything is drawn; without a choice, follow the system.
try {
  const theme = localStorage.getItem("isolarium-theme") ?? localStorage.getItem("isolab-theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage, follow the system.
}
