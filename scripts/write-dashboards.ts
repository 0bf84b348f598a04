// Writes ops/dashboards/*.json from scripts/dashboards.ts: npm run dashboards.

import { writeFileSync } from 'node:fs'
import { DASHBOARDS, dashboardText } from './dashboards.js'

for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
  writeFileSync(`ops/dashboards/${name}.json`, dashboardText(dashboard))
}
