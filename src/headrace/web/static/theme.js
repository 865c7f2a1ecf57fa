// Before the first paint, so that the page does not flash: a theme that was chosen here wins over the system's.
(() => {
  try {
    const theme = localStorage.getItem("headrace.theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage is switched off: then the system's it is.
  }
})();
