// A batch from file to results: which rows are sent, in which requests and under which keys, what is retried,
// and what is never sent twice.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ApiFailure, NoConnection } from '../../api/request'
import { BatchFile, Unreadable } from './file'
import {
  batchName,
  type Choices,
  choicesProblem,
  cutBlocks,
  guessMapping,
  unusedColumns,
} from './plan'
import { type BatchWork, runBatch, type SendResult } from './run'

const encode = (text: string) => new TextEncoder().encode(text)

async function open(content: string | Uint8Array<ArrayBuffer>): Promise<BatchFile> {
  return BatchFile.read(new Blob([content]).stream(), () => {})
}

const choices: Choices = {
  campaign: 'cmp_1',
  from: '',
  mapping: { to: 0, body: 1, from: null },
  template: null,
}

test('a file and the user’s choices are named by SHA-256, as node:crypto computes it', async () => {
  const hashOf = (content: string | Uint8Array) =>
    createHash('sha256').update(content).digest('hex')
  for (const rows of [1, 60, 5_000]) {
    const bytes = encode('4155550100,é\n'.repeat(rows))
    const chunks = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < bytes.length; i += 700) controller.enqueue(bytes.subarray(i, i + 700))
        controller.close()
      },
    })
    const { facts } = await BatchFile.read(chunks, () => {})
    assert.equal(facts.hash, hashOf(bytes), String(rows))
  }
  const { campaign, from, mapping, template } = choices
  assert.equal(
    batchName('é', choices),
    hashOf(JSON.stringify(['é', campaign, from, mapping, template])),
  )
})

test('columns are found by name, and a file can lack a header', async () => {
  assert.deepEqual(guessMapping(['Name', ' Phone_Number', 'MESSAGE', 'Sender']), {
    to: 1,
    body: 2,
    from: 3,
  })
  const { facts } = await open('4155550100,Hello\n4155550101,Bye\n')
  assert.deepEqual([facts.header, facts.rows], [['column 1', 'column 2'], 2])
  const header = ['to', 'name', 'metadata.order', 'city']
  const template = { ...choices, template: 'Hi {Name}' }
  assert.deepEqual(unusedColumns(header, template), ['city'])
  assert.equal(choicesProblem(header, template), null)
  assert.equal(
    choicesProblem(header, { ...choices, template: 'Hi {nme}' }),
    'This file has no column {nme}.',
  )
})

test('rows become messages, and each row that cannot be sent has a reason', async () => {
  const file = await open(
    [
      'To,Body,metadata.order,name',
      '(415) 555-0100,"Hi, Ana",1042,Ana',
      '415,No,,',
      '+14155550101,,,',
      `+14155550102,${'x'.repeat(1501)},,`,
      '+14155550103,Hi, Bo,1,Bo',
      '+442079460958,Hi,,',
      '1-415-555-0100,Again,,',
    ].join('\r\n'),
  )
  const plan = file.plan(choices)
  assert.deepEqual([plan.rows, plan.sendable, plan.repeated], [7, 2, 1])
  assert.deepEqual(plan.problems, [
    { line: 3, problem: '“415” is not a US number' },
    { line: 4, problem: 'No text' },
    { line: 5, problem: '1,501 characters (limit 1,500)' },
    { line: 6, problem: 'Extra comma: put the text in quotes' },
    { line: 7, problem: '“+442079460958” is not a US number' },
  ])
  assert.deepEqual(file.block(0), {
    messages: [
      { campaign: 'cmp_1', to: '+14155550100', body: 'Hi, Ana', metadata: { order: '1042' } },
      { campaign: 'cmp_1', to: '+14155550100', body: 'Again' },
    ],
    lines: [2, 8],
  })
  const greeted = file.plan({ ...choices, from: '+14152004000', template: 'Hello {name}' })
  assert.equal(greeted.problems.at(-1)?.problem, '{name} is empty')
  assert.deepEqual(file.block(0).messages[0], {
    campaign: 'cmp_1',
    from: '+14152004000',
    to: '+14155550100',
    body: 'Hello Ana',
    metadata: { order: '1042' },
  })
})

test('spreadsheet exports are read, and other files are refused with a reason', async () => {
  const utf16 = new Uint8Array([
    0xff,
    0xfe,
    ...Buffer.from('to;body\n4155550100;Zoë 🎉', 'utf16le'),
  ])
  assert.equal((await open(utf16)).plan(choices).samples[0]?.body, 'Zoë 🎉')
  const bom = await open('\ufeffto,body\n4155550100,Hi')
  assert.equal(bom.facts.header[0], 'to')
  const refused = (content: string | Uint8Array<ArrayBuffer>, words: RegExp) =>
    assert.rejects(
      open(content),
      (error) => error instanceof Unreadable && words.test(error.message),
    )
  await refused('', /empty/)
  await refused('to,body\n', /no rows/)
  await refused('to,body\n1,"x\n', /line 2 has an opening quote/)
  await refused(new Uint8Array([0x5a, 0x6f, 0xeb, 0x0a]), /not UTF-8/)
  await refused(`to\n${'1\n'.repeat(100_001)}`, /more than 100,000 rows/)
})

test('a block has at most 1,000 messages and 1 MiB', () => {
  assert.deepEqual(cutBlocks(Array(2_500).fill(100)), [
    [0, 1000],
    [1000, 2000],
    [2000, 2500],
  ])
  assert.deepEqual(cutBlocks(Array(5).fill(400_000)), [
    [0, 2],
    [2, 4],
    [4, 5],
  ])
  assert.deepEqual(cutBlocks([]), [])
})

test('a different text, campaign, or column makes a different batch', () => {
  const name = batchName('f', choices)
  assert.equal(batchName('f', { ...choices }), name)
  for (const other of [
    { ...choices, campaign: 'cmp_2' },
    { ...choices, template: 'Hi' },
    { ...choices, mapping: { ...choices.mapping, body: 2 } },
  ]) {
    assert.notEqual(batchName('f', other), name)
  }
})

/** A fake service with idempotency keys and limited credit that answers like the real one. */
function fakeService(credit: number) {
  const answers = new Map<string, SendResult[]>()
  const service = {
    credit,
    sent: [] as string[],
    calls: 0,
    failures: [] as Error[],
    post: async (messages: readonly object[], key: string) => {
      service.calls += 1
      const failure = service.failures.shift()
      if (failure) throw failure
      const before = answers.get(key)
      if (before) return { results: before, isReplay: true }
      const results = messages.map((message): SendResult => {
        const { to } = message as { to: string }
        if (to === 'out')
          return { success: false, error: 'Recipient has opted out', code: 'recipient_opted_out' }
        if (service.credit === 0) {
          return {
            success: false,
            error: 'Insufficient account balance',
            code: 'balance_insufficient',
          }
        }
        service.credit -= 1
        service.sent.push(to)
        return { success: true, id: `msg_${to}` }
      })
      answers.set(key, results)
      return { results, isReplay: false }
    },
  }
  return service
}

function workFor(service: ReturnType<typeof fakeService>, blocks: string[][]) {
  const known: (readonly SendResult[])[] = []
  const waits: number[] = []
  const work: BatchWork = {
    blocks: blocks.length,
    read: async (block) => blocks[block]!.map((to) => ({ to })),
    post: service.post,
    keyOf: (block, round) => `${block}-${round}`,
    onResults: (block, results) => {
      known[block] = results
    },
    onWait: (wait) => wait && waits.push(wait.seconds),
    pause: async () => {},
  }
  return { work, known, waits }
}

const never = new AbortController().signal
const BLOCKS = [['a', 'out', 'b'], ['c', 'd'], ['e']]

test('a batch that runs out of credit continues later and sends nothing twice', async () => {
  const service = fakeService(3)
  const first = workFor(service, BLOCKS)
  assert.deepEqual(await runBatch(first.work, never), {
    kind: 'held',
    result: { success: false, error: 'Insufficient account balance', code: 'balance_insufficient' },
  })
  assert.deepEqual(service.sent, ['a', 'b', 'c'])
  assert.equal((await runBatch(workFor(service, BLOCKS).work, never)).kind, 'held', 'still none')
  service.credit = 10
  const again = workFor(service, BLOCKS) // another day, another page: only the file is the same
  assert.deepEqual(await runBatch(again.work, never), { kind: 'done' })
  assert.deepEqual(service.sent, ['a', 'b', 'c', 'd', 'e'])
  assert.deepEqual(
    again.known.map((results) => results.map(({ id, code }) => id ?? code)),
    [['msg_a', 'recipient_opted_out', 'msg_b'], ['msg_c', 'msg_d'], ['msg_e']],
  )
})

test('a temporary failure is retried after Retry-After, otherwise with a growing delay', async () => {
  const service = fakeService(10)
  const busy = new ApiFailure(
    429,
    { error: 'Too many requests' },
    new Headers({ 'retry-after': '7' }),
  )
  service.failures = [new NoConnection(), new NoConnection(), busy]
  const { work, waits } = workFor(service, BLOCKS)
  assert.deepEqual(await runBatch(work, never), { kind: 'done' })
  assert.deepEqual(waits, [1, 2, 7])
  assert.deepEqual(service.sent, ['a', 'b', 'c', 'd', 'e'])
})

test('a permanent failure stops the batch, and so does the user', async () => {
  const service = fakeService(10)
  service.failures = [new ApiFailure(403, { error: 'This token cannot send' }, new Headers())]
  const end = await runBatch(workFor(service, BLOCKS).work, never)
  assert.equal(end.kind === 'failed' && end.error.message, 'This token cannot send')
  const stop = new AbortController()
  const { work } = workFor(service, BLOCKS)
  work.onResults = () => stop.abort()
  await assert.rejects(runBatch(work, stop.signal))
  assert.deepEqual(service.sent, ['a', 'b'])
})

test('the result file lists every row with its result', async () => {
  const file = await open('to,body\n4155550100,=1+1\n415,x\n4155550101,"a,b"\n4155550102,y\n')
  file.plan(choices)
  file.take(0, [
    { success: true, id: 'msg_1' },
    { success: false, error: 'Recipient has opted out' },
  ])
  assert.equal(
    [...file.resultLines()].join(''),
    [
      'to,body,id,status,error',
      "4155550100,'=1+1,msg_1,accepted,",
      '415,x,,not sent,“415” is not a US number',
      '4155550101,"a,b",,refused,Recipient has opted out',
      '4155550102,y,,not sent,',
      '',
    ].join('\r\n'),
  )
})
