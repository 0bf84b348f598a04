// Downloads an API report as a CSV file, from the same URL as its JSON. The service escapes text that a
// spreadsheet would run as a formula.

import { addressOf, type Query } from '../lib/address'
import { downloadFile } from '../lib/csv-file'
import { ApiFailure, NoConnection } from './request'

export async function downloadCsv(path: string, query: Query, name: string): Promise<void> {
  const headers = { accept: 'text/csv' }
  const response = await fetch(addressOf(path, query), { headers }).catch(() => {
    throw new NoConnection()
  })
  if (!response.ok) {
    const answer = await response.json().catch(() => ({}))
    throw new ApiFailure(response.status, answer, response.headers)
  }
  downloadFile(name, await response.text())
}
