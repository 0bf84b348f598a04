// Which response type a client gets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { preferredType } from './accept.js'

const OFFERS = ['application/json', 'text/csv', 'text/html'] as const

test('the preferred type among those offered is chosen, and the first one by default', () => {
  for (const [accept, type] of [
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; charset=utf-8', 'text/csv'],
    ['text/*', 'text/csv'],
    ['text/*, text/csv;q=0.1', 'text/html'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'text/html'],
    ['application/json;q=0.2, text/html;q=0.9', 'text/html'],
    ['application/json;q=0, */*;q=0.1', 'text/csv'],
    ['image/png', 'application/json'],
    ['text/csv;q=nonsense', 'application/json'],
    [';;;,,,', 'application/json'],
  ] as const) {
    assert.equal(preferredType(accept, OFFERS), type, accept)
  }
})
