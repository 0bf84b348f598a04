// How the console is built: into dist/console, which the service serves at /console. While working on it,
// `npm run dev:console` serves it with reload and passes calls on to a service at port 8080.

import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

const SERVICE = 'http://127.0.0.1:8080'
const CALLS = ['/v1', '/operator/v1', '/sandbox', '/console/session', '/docs', '/favicon.svg']

const BASE =
  /node_modules.(?:react|react-dom|scheduler|use-sync-external-store|@tanstack.(?!react-virtual|virtual-core))|console.src.(?:api.(?:call|session|stream|queries)|lib.(?:format|service-time|time-words|use-act|use-keys)|ui.(?:Badge|Button|Copy|Field|Notice|Page|Time|states))\./

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [tailwindcss()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: ['chrome123', 'safari17.5', 'firefox128'],
    assetsInlineLimit: 0, // a strict policy allows no data: addresses
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The first script names every file that pages need: short names. What every page needs is one file,
        // which packs better than many.
        chunkFileNames: 'assets/[hash].js',
        advancedChunks: { groups: [{ name: 'base', test: BASE }] },
      },
    },
  },
  server: { proxy: Object.fromEntries(CALLS.map((path) => [path, SERVICE])) },
})
