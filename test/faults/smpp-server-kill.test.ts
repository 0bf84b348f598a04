// kill -9 of the process that customers are bound to, between its responses and their receipts. Every successful submit
// is a stored message or part, and every requested receipt arrives.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { splitMessage } from '../../src/smpp/text/split-message.js'
import { Customer, plain, type SubmitResponse, smppToken } from '../bound-customer.js'
import { activeCampaign, buyNumber } from '../fixtures.js'
import { eventually, testService, thorough } from '../harness.js'
import { VZW } from '../sending.js'
import { startNode } from './node-process.js'

const KILLS = thorough(3, 10)
const UCS2 = { alphabet: 'ucs2', dataCoding: 8 } as const

async function serving(t: TestContext, databaseUrl: string) {
  const node = await startNode(t, databaseUrl, {
    LONGCODE_SMPP_PORT: '0',
    LONGCODE_SMPP_BINDS: '100', // binds of killed processes count for a while
  })
  return { ...node, kill: () => node.child.kill('SIGKILL') && once(node.child, 'exit') }
}

test('kill -9 between submit responses and receipts loses neither messages nor receipts', async (t) => {
  const service = await testService(t)
  const { campaignId } = await activeCampaign(service)
  const number = await buyNumber(service, campaignId)
  const credentials = await smppToken(service)
  const accepted = new Set<string>()
  const receipted = new Set<string>()
  /** The second part of a message whose first part was submitted in the previous round. */
  let rest: { fields: Parameters<Customer['submit']>[0]; body: string } | null = null

  for (let round = 0; round <= KILLS; round += 1) {
    const node = await serving(t, service.databaseUrl)
    const customer = await Customer.connect(node.smppPort!)
    assert.equal(await customer.bind(credentials), 'ESME_ROK')
    const take = ({ status, id }: SubmitResponse) => {
      assert.equal(status, 'ESME_ROK')
      accepted.add(id)
      return id
    }
    if (rest) {
      const id = take(await customer.submit(rest.fields))
      assert.equal((await service.get(`/v1/message/${id}`)).body.message.body, rest.body)
    }
    const body = `Раунд ${round}: `.padEnd(100, '.')
    const [first, second] = splitMessage(body, UCS2, 'udh8', round)
    const partOf = ({ tlvs: _, ...fields }: NonNullable<typeof first>) =>
      plain(number, VZW, '', fields)
    if (round < KILLS) {
      take(await customer.submit(partOf(first!)))
      rest = { fields: partOf(second!), body }
      const submits = Array.from({ length: 20 }, (_, i) =>
        customer.submit(plain(number, VZW, `Message ${round} ${i}`)).then(take, () => null),
      )
      await Promise.race(submits) // the others get a response or not
      await node.kill()
      await Promise.all(submits)
    } else {
      // Messages in flight stay leased to the killed processes for a while.
      let advances = 0
      await eventually(async () => {
        for (const { id } of customer.receipts()) receipted.add(id)
        if (advances++ % 40 === 10) await service.post('/sandbox/clock/advance', { seconds: 100 })
        return [...accepted].every((id) => receipted.has(id))
      }, 'a receipt for every accepted submit')
      await node.kill()
    }
    for (const { id, state } of customer.receipts()) {
      assert.equal(state, 'DELIVERED', id)
      receipted.add(id)
    }
    customer.end()
  }
  assert.deepEqual(
    [...accepted].filter((id) => !receipted.has(id)),
    [],
  )
  assert.ok(accepted.size >= KILLS * 3, `${accepted.size} were accepted`)
})
