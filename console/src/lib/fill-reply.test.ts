// Fields of saved replies.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsIn, fillReply } from './fill-reply.js'

const ANA = { name: 'Ana Rivera', fields: { orderNumber: '1042', empty: '' } }

test('fields of a saved reply are filled in from the contact', () => {
  const body = 'Hi {{name}}, order {{ orderNumber }} has shipped. {{name}}!'
  assert.equal(fillReply(body, ANA), 'Hi Ana Rivera, order 1042 has shipped. Ana Rivera!')
})

test('fields that the contact does not have stay and are listed once', () => {
  const filled = fillReply('{{name}}: {{refund}} {{empty}} {{refund}} {{constructor}}', ANA)
  assert.equal(filled, 'Ana Rivera: {{refund}} {{empty}} {{refund}} {{constructor}}')
  assert.deepEqual(fieldsIn(filled), ['refund', 'empty', 'constructor'])
  assert.equal(fillReply('Hi {{name}}', null), 'Hi {{name}}')
})

test('values with braces or dollar signs are inserted as they are', () => {
  assert.equal(fillReply('{{a}}', { name: '', fields: { a: '$& {{b}}', b: 'x' } }), '$& {{b}}')
})
