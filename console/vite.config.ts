// Builds the console into dist/console, which the service serves at /console. For development,
// `npm run dev:console` serves it with hot reload and forwards requests to a service on port 8080.

import tailwindcss from '@tailwindcss/vite'
import { defineConfig } from 'vite'

const SERVICE = 'http://127.0.0.1:8080'
const PROXIED = ['/v1', '/operator/v1', '/sandbox', '/console/session', '/docs', '/favicon.svg']

const BASE =
  /node_modules.(?:react|react-dom|scheduler|use-sync-external-store|@tanstack.(?!react-virtual|virtual-core))|console.src.(?:api.(?:request|session|stream|queries)|lib.(?:format|service-time|format-time|use-act|use-keys)|ui.(?:display|feedback|inputs|layout).(?:Badge|Button|Copy|Field|Notice|Page|Time|states))\./

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [tailwindcss()],
  build: {
    outDir: '../dist/console',
    emptyOutDir: true,
    target: ['chrome123', 'safari17.5', 'firefox128'],
    assetsInlineLimit: 0, // the content security policy allows no data: URLs
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The first script lists every file, so names are short. Shared code is one file, which compresses
        // better than many.
        chunkFileNames: 'assets/[hash].js',
        advancedChunks: { groups: [{ name: 'base', test: BASE }] },
      },
    },
  },
  server: { proxy: Object.fromEntries(PROXIED.map((path) => [path, SERVICE])) },
})
