// Applies the saved theme before the first paint, so nothing flashes.
try {
  const theme = localStorage.getItem('longcode.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
