// A service with one SMPP link whose carrier does not respond: what its metrics show while a message is on the wire,
// after its outcome became unknown, and while the link is paused.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { sql } from '../../src/kit/postgres/sql.js'
import { startSmsc } from '../../src/smsc/smsc.js'
import { type OperatedService, operatedService } from '../api/operator-service.js'
import { temporaryFolder } from '../commands/run-command.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually } from '../harness.js'

const linkTo = (port: number) => `links:
  - name: local
    kind: smpp
    host: 127.0.0.1
    port: ${port}
    systemId: x
    password: y
    perSecond: 50
`

type Scrape = Map<string, number>

/** `waiting`: the message is on the wire. `paused`: it is lost, and the link is paused. */
export async function loseAnswer(
  t: TestContext,
  scrape: (service: OperatedService) => Promise<Scrape>,
): Promise<{ waiting: Scrape; paused: Scrape }> {
  const smsc = await startSmsc({ lose: 100, receipts: 'none' })
  t.after(() => smsc.stop())
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  writeFileSync(file, linkTo(smsc.port))
  const env = { LONGCODE_CARRIERS: file }
  const service = await operatedService(t, { roles: ['api', 'dispatch'], env })
  const { campaignId } = await activeCampaign(service)
  await buyNumber(service, campaignId)
  const message = { campaign: campaignId, to: '+14155552000', body: 'Hello' }
  await service.post('/v1/message/send', message)
  const when = (name: string, value: number) =>
    eventually(async () => {
      const read = await scrape(service)
      return read.get(name) === value && read
    }, `${name} is ${value}`)
  const waiting = await when('longcode_carrier_window_used{link="local"}', 1)

  await smsc.stop()
  await service.operate('POST', '/carrier/local/pause', { reason: 'maintenance' })
  const { db, clock } = service.world
  await db.query(sql`
    insert into unmatched_receipts (id, carrier, message_id, status, received_at, check_at)
    values ('rct_1', 'local', 'unknown-id', 'DELIVERED', ${clock.now()}, ${clock.now()})`)
  await when('longcode_carrier_unsettled', 1)
  return { waiting, paused: await when('longcode_carrier_link_paused{link="local"}', 1) }
}
