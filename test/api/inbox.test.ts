// The inbox: which conversations are in it, and what a team does with them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listInboxRows } from '../../src/inbox/conversation-queries.js'
import { sql } from '../../src/kit/postgres/sql.js'
import type { Json } from '../harness.js'
import { ATT, type Sending, sendingService, TMO, told, VZW } from '../sending.js'

const digits = (number: string) => number.slice(1)

function inboxOf({ service, campaignId }: Sending) {
  const path = (recipient: string) =>
    `/v1/campaign/${campaignId}/conversations/${digits(recipient)}`
  return {
    path,
    list: async (query = '') => {
      const { status, body } = await service.get(`/v1/inbox/list${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body.conversations
    },
    recipients: async (query = ''): Promise<string[]> => {
      const { body } = await service.get(`/v1/inbox/list${query}`)
      return body.conversations.map(({ recipient }: { recipient: string }) => recipient)
    },
    counts: async (query = '') => (await service.get(`/v1/inbox/counts${query}`)).body.counts,
    read: async (recipient: string) => (await service.get(path(recipient))).body.conversation,
    change: async (recipient: string, change: Json) => {
      const { status, body } = await service.call('PATCH', path(recipient), change)
      assert.equal(status, 200, JSON.stringify(body))
      return body.conversation
    },
  }
}

test('a send does not fill the inbox; a reply opens a conversation, and a keyword does not', async (t) => {
  const sending = await sendingService(t)
  const inbox = inboxOf(sending)
  for (const to of [ATT, TMO, VZW]) await sending.send({ to })
  assert.deepEqual(await inbox.list(), [])
  await sending.inbound(ATT, 'STOP')
  await sending.inbound(TMO, 'HELP')
  assert.deepEqual(await inbox.list(), [])
  await sending.inbound(VZW, 'Do you open on Sunday?')
  const [conversation, ...others] = await inbox.list()
  assert.deepEqual(others, [])
  const { lastMessage, updatedAt, ...rest } = conversation
  assert.equal(lastMessage.body, 'Do you open on Sunday?')
  assert.equal(updatedAt, lastMessage.createdAt)
  assert.deepEqual(rest, {
    campaignId: sending.campaignId,
    recipient: VZW,
    status: 'OPEN',
    unread: true,
    waiting: true,
    assignee: null,
    contact: null,
    optout: null,
  })
  assert.deepEqual(await inbox.counts(), { open: 1, unread: 1, waiting: 1, assigned: 0 })
})

test('a conversation waits until someone answers, and not for an automatic reply', async (t) => {
  const sending = await sendingService(t)
  const inbox = inboxOf(sending)
  await sending.inbound(VZW, 'Hello?')
  await sending.inbound(ATT, 'Hi there')
  await sending.inbound(VZW, 'HELP') // answered automatically
  assert.deepEqual(await inbox.recipients('?view=waiting'), [ATT, VZW])
  await sending.send({ to: VZW, body: 'Yes, we are open' })
  assert.deepEqual(await inbox.recipients('?view=waiting'), [ATT])
  assert.equal((await inbox.counts()).waiting, 1)
  assert.equal((await inbox.read(VZW)).waiting, false)
  const stored = await sending.service.world.db.query<{ recipient: string }>(sql`
    select recipient from conversations where is_waiting`)
  assert.deepEqual(stored, [{ recipient: ATT }], 'the next reader need not look it up again')
  await sending.inbound(VZW, 'Thanks')
  assert.deepEqual(await inbox.recipients('?view=waiting'), [VZW, ATT])
})

test('conversations are assigned, read, closed, and opened again by a reply', async (t) => {
  const sending = await sendingService(t)
  const inbox = inboxOf(sending)
  await sending.inbound(VZW, 'One')
  await sending.inbound(ATT, 'Two')
  const changed = await inbox.change(VZW, { unread: false, assignee: 'ana' })
  assert.deepEqual([changed.unread, changed.assignee, changed.status], [false, 'ana', 'OPEN'])
  assert.deepEqual(await inbox.recipients('?view=unread'), [ATT])
  assert.deepEqual(await inbox.recipients('?assignee=ana'), [VZW])
  assert.equal((await inbox.counts('?assignee=ana')).assigned, 1)
  await inbox.change(VZW, { status: 'CLOSED' })
  assert.deepEqual(await inbox.recipients(), [ATT])
  assert.deepEqual(await inbox.recipients('?view=closed'), [VZW])
  await sending.inbound(VZW, 'Three')
  assert.deepEqual(await inbox.recipients(), [VZW, ATT])
  const again = await inbox.read(VZW)
  assert.deepEqual([again.status, again.unread, again.assignee], ['OPEN', true, 'ana'])
  const freed = await inbox.change(VZW, { assignee: null })
  assert.equal(freed.assignee, null)
})

test('a conversation without a reply can be assigned, and is then in the inbox', async (t) => {
  const sending = await sendingService(t)
  const inbox = inboxOf(sending)
  await sending.send({ to: VZW })
  assert.deepEqual(await inbox.list(), [])
  assert.equal((await inbox.read(VZW)).waiting, false)
  await inbox.change(VZW, { assignee: 'ben' })
  assert.deepEqual(await inbox.recipients(), [VZW])
  assert.deepEqual(await inbox.recipients('?view=waiting'), [])
})

test('notes are listed newest first, and deleted', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  const inbox = inboxOf(sending)
  await sending.inbound(VZW, 'Where is my order?')
  const path = `${inbox.path(VZW)}/notes`
  const ids = []
  for (const body of ['First', 'Second', 'Third']) {
    const added = await service.post(path, { body, author: ' Ana ' })
    assert.equal(added.status, 200)
    ids.push(added.body.note.id)
  }
  const { body: first } = await service.get(`${path}?limit=2`)
  assert.deepEqual(
    first.notes.map((note: Json) => [note.body, note.author]),
    [
      ['Third', 'Ana'],
      ['Second', 'Ana'],
    ],
  )
  assert.equal(first.hasMore, true)
  const { body: second } = await service.get(`${path}?limit=2&after=${ids[1]}`)
  assert.deepEqual([second.notes.length, second.hasMore], [1, false])
  assert.equal((await service.call('DELETE', `${path}/${ids[0]}`)).status, 200)
  assert.deepEqual(told(await service.call('DELETE', `${path}/${ids[0]}`)), [404, 'Note not found'])
  const nobody = `/v1/campaign/${sending.campaignId}/conversations/14155550199`
  assert.deepEqual(told(await service.post(`${nobody}/notes`, { body: 'x' })), [
    404,
    'Conversation not found',
  ])
})

test('pages of the inbox follow each other without a gap, also where most were answered', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  const phones = Array.from({ length: 9 }, (_, i) => `+1415555020${i}`)
  for (const phone of phones) await sending.inbound(phone, 'Hello')
  for (const phone of phones.slice(3, 8)) await sending.send({ to: phone })
  for (const [view, expected] of [
    ['open', [...phones].reverse()],
    ['waiting', [...phones.slice(0, 3), phones[8]!].reverse()],
  ] as const) {
    for (const limit of [1, 2, 4, 20]) {
      const seen: string[] = []
      for (let after = ''; ; ) {
        const { body } = await service.get(`/v1/inbox/list?view=${view}&limit=${limit}${after}`)
        for (const { recipient } of body.conversations) seen.push(recipient)
        if (!body.hasMore) break
        after = `&after=${body.next}`
      }
      assert.deepEqual(seen, expected, `${view} ${limit}`)
    }
  }
  const filter = { view: 'waiting', campaignId: 'cmp_none', assignee: null } as const
  const { db } = service.world
  const page = await listInboxRows(db, service.accountId, filter, { limit: 5, after: null }, 2)
  assert.deepEqual([page.rows.length, page.next !== null], [0, true], 'a request reads a few only')
})

test('another account, another campaign’s token, and a token without the scope change nothing', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  const inbox = inboxOf(sending)
  await sending.inbound(VZW, 'Hello')
  await service.call('PUT', `/v1/contact/${digits(VZW)}`, { name: 'Ana' })
  const { token } = await service.otherAccount()
  const asOther = { token }
  assert.deepEqual((await service.get('/v1/inbox/list', asOther)).body.conversations, [])
  assert.equal((await service.get('/v1/inbox/counts', asOther)).body.counts.open, 0)
  assert.deepEqual((await service.get('/v1/contact/list', asOther)).body.contacts, [])
  for (const [method, path, body] of [
    ['GET', inbox.path(VZW)],
    ['PATCH', inbox.path(VZW), { status: 'CLOSED' }],
    ['GET', `${inbox.path(VZW)}/notes`],
    ['POST', `${inbox.path(VZW)}/notes`, { body: 'x' }],
    ['GET', `/v1/contact/${digits(VZW)}`],
    ['DELETE', `/v1/contact/${digits(VZW)}`],
  ] as const) {
    assert.equal((await service.call(method, path, body, asOther)).status, 404, `${method} ${path}`)
  }
  const readOnly = { token: await service.tokenWith(['read']) }
  const refused = await service.call('PATCH', inbox.path(VZW), { unread: false }, readOnly)
  assert.equal(refused.status, 403)
  assert.equal((await inbox.read(VZW)).status, 'OPEN')
})

test('bad changes of a conversation are refused by field', async (t) => {
  const sending = await sendingService(t)
  const { service } = sending
  const inbox = inboxOf(sending)
  await sending.inbound(VZW, 'Hello')
  const problem = async (change: Json) =>
    (await service.call('PATCH', inbox.path(VZW), change)).body.details?.[0]?.field
  assert.equal(await problem({ status: 'GONE' }), 'status')
  assert.equal(await problem({ assignee: '' }), 'assignee')
  assert.equal(await problem({ assignee: 'x'.repeat(101) }), 'assignee')
  assert.equal(await problem({ unread: 'yes' }), 'unread')
  assert.deepEqual(
    told(await service.get(`/v1/campaign/${sending.campaignId}/conversations/nobody`)),
    [404, 'Conversation not found'],
  )
  assert.equal((await service.get('/v1/inbox/list?view=mine')).status, 400)
  assert.equal((await service.get('/v1/inbox/list?campaign=cmp_x')).status, 404)
})
