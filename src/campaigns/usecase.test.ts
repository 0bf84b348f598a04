// The three input forms of a use case, and the one output form.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUsecase, USECASES, type UsecaseInput, usecaseLabel } from './usecase.js'

test('one use case stays the same in every form', () => {
  for (const usecase of USECASES) {
    const alone = { usecase, subUsecases: [] }
    assert.deepEqual(readUsecase(usecase), alone)
    assert.deepEqual(readUsecase([usecase]), alone)
    assert.deepEqual(readUsecase({ [usecase]: 'a note' }), alone)
    assert.deepEqual(readUsecase({ [usecase]: '' }), alone)
    assert.deepEqual(readUsecase([usecase, usecase]), alone)
    assert.deepEqual(readUsecase('MIXED', [usecase]), alone)
  }
})

test('several use cases become MIXED, in their original order', () => {
  const mixed = { usecase: 'MIXED', subUsecases: ['MARKETING', '2FA'] }
  assert.deepEqual(readUsecase(['MARKETING', '2FA']), mixed)
  assert.deepEqual(readUsecase({ MARKETING: 'offers', '2FA': 'codes' }), mixed)
  assert.deepEqual(readUsecase('MIXED', ['MARKETING', '2FA', 'MARKETING']), mixed)
  assert.deepEqual(readUsecase('MARKETING', ['2FA']), mixed)
  assert.deepEqual(readUsecase(['MIXED', 'MARKETING'], ['2FA']), mixed)
})

test('an unknown name is refused with that name, in every form', () => {
  const cases: [UsecaseInput, string[], string][] = [
    ['FISHING', [], 'usecase FISHING is unknown'],
    [['MARKETING', 'FISHING'], [], 'usecase FISHING is unknown'],
    [{ FISHING: 'x' }, [], 'usecase FISHING is unknown'],
    ['marketing', [], 'usecase marketing is unknown'],
    ['MIXED', ['FISHING'], 'subUsecases FISHING is unknown'],
    ['MIXED', ['MIXED'], 'subUsecases MIXED is unknown'],
    ['toString', [], 'usecase toString is unknown'],
    ['x'.repeat(50), [], `usecase ${'x'.repeat(40)}… is unknown`],
  ]
  for (const [usecase, subUsecases, start] of cases) {
    assert.throws(() => readUsecase(usecase, subUsecases), {
      code: 'field_invalid',
      message: `${start}. Use ${USECASES.join(', ')}`,
    })
  }
})

test('an empty use case counts as missing, and so does MIXED alone', () => {
  for (const empty of ['', '  ', [], {}]) {
    assert.throws(() => readUsecase(empty), { message: 'usecase is required' })
  }
  assert.throws(() => readUsecase('MIXED'), {
    message: 'subUsecases must list the use cases if usecase is MIXED',
  })
})

test('a use case reads well in a name', () => {
  assert.deepEqual(['2FA', 'K12_EDUCATION', 'POLLING_VOTING', 'MIXED'].map(usecaseLabel), [
    '2FA',
    'K12 education',
    'Polling voting',
    'Mixed',
  ])
})
