// Contacts over HTTP.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { operation } from '../kit/contract/operation.js'
import { Refusal } from '../kit/contract/refusal.js'
import { HasMore, OptionalText, PageQuery, PathText } from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import { PhoneQuery, readPhoneQuery } from '../text/number-schema.js'
import { digitsToE164, pathNumberProblem } from '../text/phone-number.js'
import {
  CONTACT_EXAMPLE,
  ContactFields,
  ContactName,
  ContactShape,
  wireContact,
} from './contact.js'
import {
  deleteContact,
  findContacts,
  listContacts,
  searchContacts,
  upsertContact,
} from './contact-queries.js'

const COMMON = { tag: 'Inbox', isExtension: true } as const
const NumberParams = Type.Object({ number: PathText() })

const NUMBERS_MAX = 100 // also in the pattern

const LIST = operation({
  ...COMMON,
  id: 'listContacts',
  summary: 'List contacts, or find them by name or number',
  scope: 'read',
  query: Type.Object({
    name: OptionalText(100, {
      description:
        'Only contacts whose name starts with this text, in any case, sorted by name. One page',
    }),
    numbers: Type.Optional(
      Type.String({
        // As in PhoneQuery: a plus sign that was not encoded arrives as a space.
        maxLength: 13 * NUMBERS_MAX,
        pattern: '^[+ ]?1[0-9]{10}(?:,[+ ]?1[0-9]{10}){0,99}$',
        description: `Only the contacts with these numbers, separated by commas, at most ${NUMBERS_MAX}. One page`,
        examples: ['+14155550123,+14155550124'],
        'x-expects': `must be up to ${NUMBERS_MAX} US numbers in E.164 format, separated by commas`,
      }),
    ),
    limit: PageQuery.properties.limit,
    after: Type.Optional(PhoneQuery({ description: 'The last number of the previous page' })),
  }),
  reply: Type.Object({ contacts: Type.Array(ContactShape), hasMore: HasMore }),
  example: { contacts: [CONTACT_EXAMPLE], hasMore: false },
  failure: { contacts: [] },
})

const GET = operation({
  ...COMMON,
  id: 'getContact',
  summary: 'Read a contact',
  scope: 'read',
  params: NumberParams,
  reply: Type.Object({ contact: ContactShape }),
  example: { contact: CONTACT_EXAMPLE },
  failure: { contact: null },
  refuses: ['contact_missing'],
})

const PUT = operation({
  ...COMMON,
  id: 'putContact',
  summary: 'Create or replace a contact',
  scope: 'send',
  params: NumberParams,
  body: Type.Object({ name: ContactName, fields: Type.Optional(ContactFields) }),
  bodyExample: { name: CONTACT_EXAMPLE.name, fields: CONTACT_EXAMPLE.fields },
  reply: Type.Object({ success: Type.Literal(true), contact: ContactShape }),
  example: { success: true, contact: CONTACT_EXAMPLE },
  failure: { success: false },
  refuses: ['field_invalid'],
})

const DELETE = operation({
  ...COMMON,
  id: 'deleteContact',
  summary: 'Delete a contact',
  description: 'Messages and notes stay.',
  scope: 'send',
  params: NumberParams,
  reply: Type.Object({ success: Type.Literal(true), phoneNumber: Type.String() }),
  example: { success: true, phoneNumber: CONTACT_EXAMPLE.phoneNumber },
  failure: { success: false },
  refuses: ['contact_missing'],
})

export const contactRoutes: FastifyPluginAsyncTypebox<World> = async (app, { db, clock }) => {
  app.get('/contact/list', LIST, async ({ caller: { accountId }, query }) => {
    const { name, numbers, limit = 10 } = query
    if (numbers !== undefined) {
      const phoneNumbers = numbers.split(',').flatMap((text) => digitsToE164(text.trim()) ?? [])
      const contacts = await findContacts(db, accountId, phoneNumbers)
      return { contacts: contacts.map(wireContact), hasMore: false }
    }
    if (name) {
      const contacts = await searchContacts(db, accountId, name, limit)
      return { contacts: contacts.map(wireContact), hasMore: false }
    }
    const after = readPhoneQuery(query.after)
    const contacts = await listContacts(db, accountId, { limit, after })
    return { contacts: contacts.slice(0, limit).map(wireContact), hasMore: contacts.length > limit }
  })

  app.get('/contact/:number', GET, async ({ caller: { accountId }, params }) => {
    const phoneNumber = digitsToE164(params.number)
    const [contact] = phoneNumber ? await findContacts(db, accountId, [phoneNumber]) : []
    if (!contact) throw new Refusal('contact_missing')
    return { contact: wireContact(contact) }
  })

  app.put('/contact/:number', PUT, async ({ caller: { accountId }, params, body, once }) => {
    const phoneNumber = digitsToE164(params.number)
    if (!phoneNumber) throw new Refusal('field_invalid', pathNumberProblem(params.number))
    const { name, fields = {} } = body
    return once(async (tx) => {
      const contact = { phoneNumber, name, fields, updatedAt: clock.now() }
      await upsertContact(tx, accountId, contact)
      return { success: true as const, contact: wireContact(contact) }
    })
  })

  app.delete('/contact/:number', DELETE, async ({ caller: { accountId }, params, once }) =>
    once(async (tx) => {
      const phoneNumber = digitsToE164(params.number)
      const isGone = phoneNumber !== null && (await deleteContact(tx, accountId, phoneNumber))
      if (!isGone) throw new Refusal('contact_missing')
      return { success: true as const, phoneNumber }
    }),
  )
}
