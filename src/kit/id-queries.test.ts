// IDs made by SQL statements, checked in PostgreSQL: valid IDs that sort by their time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NOW, queueRows } from '../../test/queue-rows.js'
import {
  idBodyOf,
  idOfBody,
  idOfPair,
  idWithPrefix,
  spanOf,
  suffixOf,
  timePrefixOf,
} from './id-queries.js'
import { encodeTime, idFloor, isId, newId } from './ids.js'
import { raw, sql } from './postgres/sql.js'

const LATER = new Date(NOW.getTime() + 5)

test('an ID range goes from the lowest to the highest ID, in any order', () => {
  assert.deepEqual(spanOf(['msg_2', 'msg_1', 'msg_3']), { first: 'msg_1', last: 'msg_3' })
  assert.deepEqual(spanOf(['msg_2']), { first: 'msg_2', last: 'msg_2' })
  assert.deepEqual(spanOf([]), { first: '', last: '' })
})

test('an ID derived from others is valid and has the right time', async (t) => {
  const { db } = await queueRows(t)
  const id = newId('msg', NOW)
  const make = async (text: string): Promise<string> => {
    const [row] = await db.query<{ made: string }>(sql`
      select ${raw(text)} as made
      from (select ${id}::text as id, ${encodeTime(LATER.getTime())}::text as later,
        'whk_1' as other, 7::smallint as sequence) given`)
    return row!.made
  }

  const renamed = await make(idWithPrefix('trf', 'id'))
  assert.equal(renamed, id.replace('msg', 'trf'))
  assert.ok(isId('trf', renamed))

  const pair = await make(idOfPair('dlv', 'id', 'other'))
  assert.ok(isId('dlv', pair), pair)
  assert.equal(
    pair.slice(3, 17),
    id.slice(3, 17),
    'the time and the counter are those of the first',
  )
  assert.notEqual(await make(idOfPair('dlv', 'id', `'whk_2'`)), pair)
  assert.equal(await make(idOfPair('dlv', 'id', 'other')), pair, 'the same inputs give the same ID')

  const stem = idBodyOf('later', 'id')
  const event = await make(idOfBody('evt', stem, suffixOf('sequence')))
  assert.ok(isId('evt', event), event)
  assert.ok(event.endsWith('07'))
  assert.ok(event >= idFloor('evt', LATER), 'the time is the given one, not that of the message')
  assert.ok(event < idFloor('evt', new Date(LATER.getTime() + 1)))
  assert.ok(isId('trf', await make(idOfBody('trf', stem, `'zz'`))))

  assert.equal(await make(timePrefixOf('id')), `msg_${encodeTime(NOW.getTime())}`)
})
