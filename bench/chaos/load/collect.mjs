// Loaded into a node before it starts, with --expose-gc: collects garbage when it is told to, so that its memory can be
// compared between two moments.

process.on('SIGUSR2', () => globalThis.gc())
