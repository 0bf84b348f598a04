// Exports over HTTP: create, watch, download, delete.

import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCampaign } from '../../campaigns/campaign-queries.js'
import { preferredType } from '../../kit/contract/accept.js'
import { Refusal } from '../../kit/contract/refusal.js'
import { isId, newId } from '../../kit/ids.js'
import type { Queryable } from '../../kit/postgres/db.js'
import type { World } from '../../kit/world.js'
import { readFilter } from '../reads/message-filter.js'
import { CREATE, DELETE, GET, LIST, wireExport } from './export-operations.js'
import { deleteExport, findExport, findPart, insertExport, listExports } from './export-queries.js'
import { EXPORTS_MAX, type MessageExport, mayDeleteExport, newExport } from './message-export.js'

const decompress = promisify(gunzip)

export const exportRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock, hints }) => {
  app.post('/export/create', CREATE, async ({ caller, body, once }) => {
    const { accountId, tokenId: createdBy } = caller
    const { name = 'Messages', filter = {} } = body
    readFilter(filter) // refuses what the schema cannot
    if (filter.campaign !== undefined) await getCampaign(db, accountId, filter.campaign)
    const answer = await once(async (tx) => {
      const now = clock.now()
      // Without a lock: only one can run, so others cannot be added at the same time.
      const stored = await listExports(tx, accountId, now)
      if (stored.length >= EXPORTS_MAX) throw new Refusal('exports_full')
      const created = newExport({ accountId, id: newId('exp', now), createdBy, name }, filter, now)
      if (!(await insertExport(tx, created))) throw new Refusal('export_running')
      return { success: true as const, export: wireExport(created) }
    })
    hints.notify('exports')
    return answer
  })

  app.get('/export/list', LIST, async ({ caller: { accountId } }) => ({
    exports: (await listExports(db, accountId, clock.now())).map(wireExport),
  }))

  app.get('/export/:id', GET, async ({ caller: { accountId }, params, query, headers }, reply) => {
    const { id } = params
    const found = isId('exp', id) ? await findExport(db, { accountId, id }, clock.now()) : null
    if (!found) throw new Refusal('export_missing')
    const type = preferredType(headers.accept, ['application/json', 'text/csv'])
    if (query.format !== 'csv' && type !== 'text/csv') return { export: wireExport(found) }
    if (found.status !== 'DONE') throw new Refusal('export_unfinished')
    reply.header('content-disposition', `attachment; filename="${fileName(found)}"`)
    return reply.type('text/csv; charset=utf-8').send(Readable.from(partsOf(db, found)) as never)
  })

  app.delete('/export/:id', DELETE, async ({ caller, params: { id }, once }) =>
    once(async (tx) => {
      const { accountId } = caller
      const found = isId('exp', id) ? await findExport(tx, { accountId, id }, clock.now()) : null
      if (!found) throw new Refusal('export_missing')
      if (!mayDeleteExport(caller, found)) throw new Refusal('export_of_another')
      if (!(await deleteExport(tx, found))) throw new Refusal('export_missing')
      return { success: true as const, id }
    }),
  )
}

/** One part in memory at a time. A file that is deleted meanwhile breaks off, so the client sees that it is not whole. */
async function* partsOf(db: Queryable, found: MessageExport): AsyncGenerator<Buffer> {
  for (let part = 0; part < found.partCount; part += 1) {
    const content = await findPart(db, found, part)
    if (!content) throw new Refusal('export_missing')
    yield await decompress(content)
  }
}

/** Only characters that need no quoting in a header: `Failed today` becomes `failed-today-2026-11-18.csv`. */
function fileName({ name, createdAt }: MessageExport): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? ['messages']
  return `${words.join('-')}-${createdAt.toISOString().slice(0, 10)}.csv`
}
