// The speed of SMPP: the codec alone, then submits over one bind on loopback with a full window. Our client and that of
// npm `smpp` alternate against our SMSC, each in a separate process. The result is the median ratio of the two rates.

import { decodePdu } from '../src/smpp/pdu/decode.js'
import { encodePdu } from '../src/smpp/pdu/encode.js'
import { makePdu, type Pdu } from '../src/smpp/pdu/pdu.js'
import { makeStandardTlv } from '../src/smpp/pdu/tlv.js'
import { median } from './accept.js'
import { FIELDS, measureClient, NPM_FIELDS, npmSmpp, startPeer, WINDOW } from './smpp-peer.js'

const ROUNDS = 5
const SECONDS = 2
const CODEC_ROUNDS = 7
const CODEC_PDUS = 20_000

export async function run() {
  const codec = codecLines()
  const smsc = await startPeer('smsc')
  const [ours, npm] = await inTurns(
    () => measureClient('ours', smsc.port, SECONDS),
    () => measureClient('npm', smsc.port, SECONDS),
  )
  smsc.stop()
  const [ourServer, npmServer] = [await startPeer('ours'), await startPeer('npm')]
  const [asServer, npmAsServer] = await inTurns(
    () => measureClient('ours', ourServer.port, 1),
    () => measureClient('ours', npmServer.port, 1),
  )
  ourServer.stop()
  npmServer.stop()
  const ratios = ratiosOf(ours, npm)
  return {
    lines: [
      ...codec,
      `submits over one bind, window ${WINDOW}, to our SMSC (target 5000 a second)`,
      `  our client         ${whole(ours)} a second`,
      `  npm smpp           ${whole(npm)} a second`,
      `  ratios             ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')} (target 1.00)`,
      'submits of our client to a server that accepts everything',
      `  our session        ${whole(asServer)} a second`,
      `  npm smpp           ${whole(npmAsServer)} a second`,
      `  ratio              ${median(ratiosOf(asServer, npmAsServer)).toFixed(2)}`,
    ],
    ratio: median(ratios),
  }
}

const whole = (values: readonly number[]) => values.map(Math.round).join(' ')

function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((value, i) => value / theirs[i]!)
}

async function inTurns(
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<[number[], number[]]> {
  const results: [number[], number[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    results[0].push(await first())
    results[1].push(await second())
  }
  return results
}

/** Encoding and decoding a PDU counts once. */
function codecLines(): string[] {
  const submit = makePdu('submit_sm', 7, FIELDS)
  const answer = makePdu('submit_sm_resp', 7, { messageId: '199d1a2b3c4d' })
  const receipt = makePdu(
    'deliver_sm',
    7,
    { ...FIELDS, esmClass: 4, shortMessage: Buffer.alloc(110, 'id:199d1a2b3c4d ') },
    [makeStandardTlv('receiptedMessageId', '199d1a2b3c4d'), makeStandardTlv('messageState', 2)],
  )
  const { PDU } = npmSmpp()
  const theirs = () => PDU.fromBuffer(new PDU('submit_sm', NPM_FIELDS).toBuffer())
  const through = (pdu: Pdu) => () => decodePdu(encodePdu(pdu))
  const rate = (work: () => unknown) => Math.round(perSecond(work)).toLocaleString('en-US')
  return [
    'codec, encode and decode (target 200,000 PDUs a second)',
    `  submit_sm          ${rate(through(submit))} a second; npm smpp ${rate(theirs)}`,
    `  submit_sm_resp     ${rate(through(answer))} a second`,
    `  deliver_sm, 2 TLVs ${rate(through(receipt))} a second`,
  ]
}

/** Measured in CPU time, because other programs may run at the same time. */
function perSecond(work: () => unknown): number {
  const rounds = Array.from({ length: CODEC_ROUNDS }, () => {
    const before = process.cpuUsage()
    for (let i = 0; i < CODEC_PDUS; i += 1) work()
    const { user, system } = process.cpuUsage(before)
    return (CODEC_PDUS * 1_000_000) / (user + system)
  })
  return median(rounds)
}
