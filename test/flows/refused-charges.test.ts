// Refusals at submit, counted at the carrier's side: what the carrier did not accept costs nothing, whatever the
// reason. A failure reported later by receipt is about an accepted message.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { STATUS } from '../../src/smpp/pdu/status.js'
import { startSmsc } from '../../src/smsc/smsc.js'
import type { SmscOptions } from '../../src/smsc/smsc-options.js'
import { temporaryFolder } from '../commands/run-command.js'
import { providerService } from '../providers/provider-service.js'
import { assertDollars, SMS_PRICE, sendingService } from '../sending.js'

/** Responses to a submit that only make the message fail. */
const REFUSALS: Record<string, number> = {
  ESME_RINVMSGLEN: 1375,
  ESME_RINVCMDLEN: 1375,
  ESME_RINVCMDID: 1375,
  ESME_RINVDSTADR: 1350,
  ESME_RINVSERTYP: 1375,
  ESME_RINVESMCLASS: 1375,
  ESME_RSUBMITFAIL: 1375,
  ESME_RINVSRCTON: 1375,
  ESME_RINVSRCNPI: 1375,
  ESME_RINVDSTTON: 1375,
  ESME_RINVDSTNPI: 1375,
  ESME_RINVEXPIRY: 1375,
  ESME_RX_P_APPN: 1375,
  ESME_RX_R_APPN: 1375,
  ESME_RINVOPTPARSTREAM: 1375,
  ESME_RDELIVERYFAILURE: 1380,
  ESME_RUNKNOWNERR: 1499,
}
const UNMAPPED = [0x0446, 0x0500, 0x7fff]

async function smscService(t: TestContext, options: SmscOptions = {}) {
  const smsc = await startSmsc({ receiptDelayMs: 10, ...options })
  t.after(() => smsc.stop())
  const file = path.join(temporaryFolder(t), 'carriers.yaml')
  const link = `  - name: local\n    kind: smpp\n    host: 127.0.0.1\n    port: ${smsc.port}\n    systemId: x\n    password: y\n`
  writeFileSync(file, `links:\n${link}`)
  const env = { LONGCODE_CARRIERS: file }
  return { smsc, ...(await sendingService(t, { roles: ['dispatch'], env })) }
}

test('no command status at submit is charged, known or not', async (t) => {
  const { smsc, service, send, until } = await smscService(t)
  const before = await service.balance()
  const cases = [
    ...Object.entries(REFUSALS).map(
      ([name, code]) => [STATUS[name as keyof typeof STATUS].code, code] as const,
    ),
    ...UNMAPPED.map((status) => [status, 1499] as const),
    // Last, because nothing more is sent from a refused number for a minute.
    [STATUS.ESME_RINVSRCADR.code, 1345] as const,
  ]
  for (const [status, errorCode] of cases) {
    smsc.change({ refuse: status })
    const failed = await until(await send(), 'FAILED')
    assert.deepEqual([failed.errorCode, failed.price], [errorCode, 0], `0x${status.toString(16)}`)
  }
  assert.equal(smsc.counts.submits, cases.length, 'each was submitted once')
  assert.equal(smsc.accepted.length, 0)
  assertDollars(await service.balance(), before)
})

test('a failure reported by receipt is charged', async (t) => {
  const { smsc, service, send, until } = await smscService(t, { receipts: 'failed' })
  const before = await service.balance()
  const failed = await until(await send(), 'FAILED')
  assert.equal(failed.price, SMS_PRICE)
  assert.equal(smsc.accepted.length, 1)
  assertDollars(await service.balance(), before - SMS_PRICE)
})

test('a provider’s refusal is not charged, and a later failure is', async (t) => {
  for (const [kind, refused, errorCode] of [
    ['telnyx', '40002', 1370],
    ['telnyx', '99999', 1499],
    ['bandwidth', '4770', 1370],
    ['twilio', '30007', 1370],
  ] as const) {
    const { fake, service, send, until } = await providerService(t, kind)
    const before = await service.balance()
    const to = '+14155550107'
    fake.refuses.set(to, refused)
    const failed = await until(await send({ to }), 'FAILED')
    assert.deepEqual([failed.errorCode, failed.price], [errorCode, 0], `${kind} ${refused}`)
    assert.equal(fake.taken.length, 0)
    assertDollars(await service.balance(), before)
    fake.refuses.delete(to)
    fake.outcomes.set(to, { status: 'failed', code: refused })
    const later = await until(await send({ to }), 'FAILED')
    assert.equal(later.price, SMS_PRICE, `${kind} ${refused} in a receipt`)
    assertDollars(await service.balance(), before - SMS_PRICE)
  }
})
