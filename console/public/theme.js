// Before the first paint: the theme that was chosen here, so that nothing flashes.
try {
  const theme = localStorage.getItem('longcode.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {}
