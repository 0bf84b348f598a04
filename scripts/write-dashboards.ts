// Writes ops/dashboards/*.json from scripts/dashboards.ts, and the chart's copies of them: npm run dashboards.

import { writeFileSync } from 'node:fs'
import { DASHBOARDS, dashboardText } from './dashboards.js'

for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
  const text = dashboardText(dashboard)
  writeFileSync(`ops/dashboards/${name}.json`, text)
  writeFileSync(`ops/helm/longcode/files/dashboards/${name}.json`, text)
}
