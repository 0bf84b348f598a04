// Writing one list entry into a settings file keeps everything else, including comments.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { editList, writeList } from './edit-list.js'

const TEXT = `# our links
links:
  - name: acme # the first
    kind: smpp
    password: \${ACME}   # from outside

  # the second
  - name: telnyx
    kind: telnyx
    apiKey: old # changes
    numbers: # sold
      monthlyPrice: 1
# in order
routes:
  - { links: [acme] }
`

test('an existing entry changes only where it differs, and nothing around it moves', () => {
  const entry = { name: 'telnyx', kind: 'telnyx', apiKey: `\${KEY}`, publicKey: 'abc=' }
  const { text, isNew, changed } = editList(TEXT, 'links', entry)
  assert.deepEqual([isNew, changed], [false, ['apiKey', 'publicKey']])
  const wanted = TEXT.replace('apiKey: old # changes', `apiKey: \${KEY} # changes`).replace(
    '      monthlyPrice: 1\n',
    '      monthlyPrice: 1\n    publicKey: abc=\n',
  )
  assert.equal(text, wanted)
  assert.deepEqual(editList(text, 'links', entry), { text, isNew: false, changed: [] })
})

test('a new entry is added below the others, and everything else stays unchanged', () => {
  const entry = { name: 'twilio', kind: 'twilio', services: { cmp_1: 'MG1' } }
  const { text, isNew } = editList(TEXT, 'links', entry)
  assert.equal(isNew, true)
  const lines = '  - name: twilio\n    kind: twilio\n    services:\n      cmp_1: MG1\n'
  assert.equal(text, TEXT.replace('# in order', `${lines}# in order`))

  const example = readFileSync('carriers.example.yaml', 'utf8')
  const added = editList(example, 'links', { ...entry, name: 'another' }).text
  assert.equal(added.replace(lines.replace('twilio', 'another'), ''), example)
})

test('a file without the list, an empty one, one in braces, and one in JSON get it too', () => {
  const entry = { name: 'a', kind: 'telnyx' }
  assert.equal(editList('', 'links', entry).text, writeList('links', entry))
  assert.match(
    editList('# mine\nroutes: []\n', 'links', entry).text,
    /^# mine\nroutes: \[\]\nlinks:\n/,
  )
  assert.match(editList('links: []\n', 'links', entry).text, /name: a/)
  const flow = editList('links: [{ name: b, kind: smpp }] # all\n', 'links', entry).text
  assert.match(flow, /# all/)
  assert.match(flow, /name: b[\s\S]*name: a/)
  const json = editList('{"links":[{"name":"b"}]}', 'links', entry).text
  assert.deepEqual(JSON.parse(json), { links: [{ name: 'b' }, entry] })
  assert.deepEqual(
    JSON.parse(editList(json, 'links', { ...entry, kind: 'twilio' }).text).links[1],
    {
      ...entry,
      kind: 'twilio',
    },
  )
})

test('a map inside an entry is replaced if it differs', () => {
  const entry = { name: 'telnyx', numbers: { monthlyPrice: 2 } }
  const { text, changed } = editList(TEXT, 'links', entry)
  assert.deepEqual(changed, ['numbers'])
  assert.match(text, /numbers:[\s\S]*monthlyPrice: 2/)
  assert.match(text, /# the second/)
})
