// A report of the API as a file: the same address as its JSON, asked for as CSV. The service writes it so that
// no text in it becomes a formula.

import { addressOf, type Query } from '../lib/address'
import { downloadFile } from '../lib/csv-file'
import { ApiFailure, NoConnection } from './call'

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
