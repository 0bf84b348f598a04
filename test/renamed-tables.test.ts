// Processes of the previous version use tables by their old names until the last one is replaced. The old names are views
// now, and these are that version's statements, as it sends them.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { cloneDatabase } from './harness.js'

const NOW = new Date('2026-11-18T12:00:00Z')
const LATER = new Date('2026-11-18T13:00:00Z')
const NUMBER = '+14155550101'
const PEER = '+14155550102'

async function connect(t: TestContext): Promise<pg.Client> {
  const { url, drop } = await cloneDatabase()
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end().finally(drop))
  return client
}

/** The rows that it returns. */
async function run(client: pg.Client, text: string, values: unknown[] = []) {
  return (await client.query(text, values)).rows
}

test('old names of renamed tables are views that can be written through', async (t) => {
  const client = await connect(t)
  const rows = await run(
    client,
    `select table_name as name, is_insertable_into as inserts, is_updatable as updates
    from information_schema.views where table_schema = 'public' and table_name not like 'ledger%'
    order by table_name`,
  )
  assert.deepEqual(
    rows,
    [
      'inbound_parts',
      'inventory_numbers',
      'learned_networks',
      'lost_links',
      'media_key',
      'stray_receipts',
      'voice_key',
    ].map((name) => ({ name, inserts: 'YES', updates: 'YES' })),
  )
})

test('the previous version reports and clears link outages', async (t) => {
  const client = await connect(t)
  const save = `
    insert into lost_links (dispatcher, carrier, down_since, seen_at)
    values ($1, $2, $3, $4)
    on conflict (dispatcher) do update
      set down_since = excluded.down_since, seen_at = excluded.seen_at`
  await run(client, save, ['node-1', 'main', NOW, NOW])
  await run(client, save, ['node-1', 'main', NOW, LATER])
  const found = await run(client, 'select dispatcher, seen_at from link_outages')
  assert.deepEqual(found, [{ dispatcher: 'node-1', seen_at: LATER }])
  const clear = 'delete from lost_links where dispatcher = $1 or seen_at < $2'
  await run(client, clear, ['node-1', NOW])
  assert.deepEqual(await run(client, 'select from link_outages'), [])
})

const INSERT_RECEIPT = `
  insert into stray_receipts (id, carrier, message_id, status, error_code, received_at, carrier_ids,
    carrier_code, look_at, number, peer, submitted_at, done_at, body_start, reference, is_unconfirmed,
    is_opted_out)
  select $1, $2, left($3::text, 200), $4::text,
    case when abs(r.code) < 1e9 then r.code::int end, $6::timestamptz,
    $7::text[], left($8::text, 200), $9::timestamptz, left($10::text, 40),
    left($11::text, 40), null::timestamptz, null::timestamptz, left($12::text, 40), null::int, false::boolean,
    false::boolean
  from (select $5::numeric as code) r`
const CLAIM_RECEIPTS = `
  update stray_receipts set look_at = $1 where id in (
    select id from stray_receipts where look_at <= $2 order by look_at limit $3)
    and look_at <= $2
  returning id, carrier as link, carrier_ids as "carrierIds", number, peer`
const FIND_RECEIPTS = `
  select id, number, peer from stray_receipts
  where look_at is not null and (number, peer) in (select * from unnest($1::text[], $2::text[]))
  order by received_at limit $3`
const POSTPONE_RECEIPTS = `
  update stray_receipts r set look_at = w.look_at
  from unnest($1::text[], $2::timestamptz[]) as w (id, look_at)
  where r.id = w.id`

test('the previous version stores, claims, and deletes unmatched receipts', async (t) => {
  const client = await connect(t)
  const facts = ['main', 'carrier-1', 'DELIVERED', 0, NOW, ['carrier-1'], '000', NOW, NUMBER, PEER]
  for (const id of ['evt_1', 'evt_2']) await run(client, INSERT_RECEIPT, [id, ...facts, 'Hello'])
  const [stored] = await run(client, `select * from unmatched_receipts where id = 'evt_1'`)
  assert.deepEqual(
    [stored.check_at, stored.phone_number, stored.peer, stored.is_unconfirmed],
    [NOW, NUMBER, PEER, false],
  )
  const claimed = await run(client, CLAIM_RECEIPTS, [LATER, NOW, 1])
  assert.equal(claimed.length, 1)
  assert.deepEqual(
    { ...claimed[0], id: null },
    { id: null, link: 'main', carrierIds: ['carrier-1'], number: NUMBER, peer: PEER },
  )
  assert.equal((await run(client, FIND_RECEIPTS, [[NUMBER], [PEER], 10])).length, 2)
  await run(client, POSTPONE_RECEIPTS, [
    ['evt_1', 'evt_2'],
    [null, LATER],
  ])
  assert.equal((await run(client, FIND_RECEIPTS, [[NUMBER], [PEER], 10])).length, 1)
  const locked = 'select id from stray_receipts order by id for update skip locked'
  assert.equal((await run(client, locked)).length, 2)
  const takeOne = `
    delete from stray_receipts
    where received_at >= $1 and carrier = $2 and carrier_ids @> $3::text[]
    returning 1`
  assert.equal((await run(client, takeOne, [NOW, 'main', ['carrier-1']])).length, 2)
})

test('the previous version keeps its cache of number lookups', async (t) => {
  const client = await connect(t)
  const save = `
    insert into learned_networks as known (number, network, is_landline, link, seen_at)
    select * from unnest($1::text[], $2::text[], $3::boolean[], $4::text[], $5::timestamptz[])
    on conflict (number) do update
      set network = excluded.network, is_landline = excluded.is_landline, link = excluded.link,
        seen_at = excluded.seen_at
      where known.seen_at < excluded.seen_at
        and (known.network is distinct from excluded.network
          or known.is_landline <> excluded.is_landline or known.seen_at < $6)`
  await run(client, save, [[NUMBER], ['att'], [false], ['main'], [NOW], NOW])
  await run(client, save, [[NUMBER], ['tmo'], [false], ['main'], [LATER], NOW])
  const read = `
    select number, network, is_landline as "isLandline", link, seen_at as "seenAt"
    from learned_networks
    where number = any ($1::text[])`
  const [row] = await run(client, read, [[NUMBER]])
  const now = { number: NUMBER, network: 'tmo', isLandline: false, link: 'main', seenAt: LATER }
  assert.deepEqual(row, now)
  const expire = `
    delete from learned_networks where number = any (array(
      select number from learned_networks where seen_at < $1 limit $2))
    returning 1`
  assert.equal((await run(client, expire, [new Date('2027-01-01'), 10])).length, 1)
  assert.deepEqual(await run(client, 'select from number_lookup_cache'), [])
})

test('the previous version sells numbers from the inventory', async (t) => {
  const client = await connect(t)
  await run(client, 'delete from inventory_numbers')
  const add = `
    insert into inventory_numbers (number, area_code, location, monthly_price_micros, hosts)
    select number, area_code, location, price, string_to_array(hosts, ' ') from unnest(
      $1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[])
      as new (number, area_code, location, price, hosts)
    where not exists (select 1 from numbers where phone_number = new.number)
    on conflict (number) do nothing
    returning 1`
  const stock = [
    [NUMBER, PEER],
    ['415', '415'],
    ['CA', 'CA'],
    ['1', '2'],
    [null, 'main spare'],
  ]
  assert.equal((await run(client, add, stock)).length, 2)
  assert.equal((await run(client, add, stock)).length, 0)
  const host = `
    update inventory_numbers set hosts = $1::text[]
    where number = any ($2::text[]) returning number`
  assert.deepEqual(await run(client, host, [['main'], [NUMBER]]), [{ number: NUMBER }])
  const buy = `
    delete from inventory_numbers where number = $1 returning number, area_code as "areaCode", hosts`
  assert.deepEqual(await run(client, buy, [PEER]), [
    { number: PEER, areaCode: '415', hosts: ['main', 'spare'] },
  ])
  const left = await run(client, 'select phone_number, hosts from number_inventory')
  assert.deepEqual(left, [{ phone_number: NUMBER, hosts: ['main'] }])
})

test('the previous version assembles long inbound messages', async (t) => {
  const client = await connect(t)
  const insert = `
    insert into inbound_parts (number, peer, reference, sequence, total, body, received_at)
    values ($1, $2, $3, $4, $5, $6, $7)`
  await run(client, insert, [NUMBER, PEER, 7, 1, 2, '"Hello"', NOW])
  const key = [NUMBER, PEER, 7]
  const mark = `
    update inbound_parts set is_done = true where number = $1 and peer = $2 and reference = $3`
  await run(client, mark, key)
  const [row] = await run(client, 'select phone_number, is_done from inbound_message_parts')
  assert.deepEqual(row, { phone_number: NUMBER, is_done: true })
  const overdue = `
    select distinct number, peer, reference from inbound_parts
    where received_at <= $1 limit $2`
  const waiting = [{ number: NUMBER, peer: PEER, reference: 7 }]
  assert.deepEqual(await run(client, overdue, [LATER, 10]), waiting)
  const remove = `
    delete from inbound_parts where number = $1 and peer = $2 and reference = $3 returning 1`
  assert.equal((await run(client, remove, key)).length, 1)
})

for (const [old, table] of [
  ['media_key', 'media_secret'],
  ['voice_key', 'voice_secret'],
]) {
  test(`the previous version shares ${old} with this one`, async (t) => {
    const client = await connect(t)
    const store = `insert into ${old} (octets) values ($1) on conflict (only_row) do nothing`
    for (const bytes of ['first', 'second']) await run(client, store, [Buffer.from(bytes)])
    assert.deepEqual(await run(client, `select octets from ${old}`), [
      { octets: Buffer.from('first') },
    ])
    assert.deepEqual(await run(client, `select bytes from ${table}`), [
      { bytes: Buffer.from('first') },
    ])
  })
}
