// Brands over HTTP. Create, list, and retrieve follow the contract. Drafts, changes, and submission are
// extensions (not in the contract).

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { listFilter, listFilterOf } from '../kit/contract/list-filter.js'
import { operation } from '../kit/contract/operation.js'
import { cutPage, HasMore, IdParams, Noun, pageOf, pageQueryWith } from '../kit/contract/schema.js'
import type { World } from '../kit/world.js'
import { BRAND_BODY_EXAMPLE, BRAND_EXAMPLE } from './brand-examples.js'
import { getBrand, listBrands } from './brand-queries.js'
import { BRAND_STATUSES } from './brand-state.js'
import {
  BrandShape,
  CreateBrandBody,
  foldBrandBody,
  PartialBrandBody,
  readBrandBody,
  wireBrand,
} from './brand-wire.js'
import { patchBrand, submitBrand } from './change-brand.js'
import { createBrand, draftBrand } from './create-brand.js'
import type { Registering } from './registration.js'

const WriteReply = Noun('BrandReply', { success: Type.Literal(true), brand: BrandShape })

const CREATE = operation({
  id: 'createBrand',
  tag: 'Brands',
  summary: 'Create a brand',
  description: 'Submits the brand for verification. You can create campaigns for it immediately.',
  scope: 'manage',
  body: CreateBrandBody,
  bodyExample: BRAND_BODY_EXAMPLE,
  reply: WriteReply,
  example: { success: true, brand: BRAND_EXAMPLE },
  failure: { success: false },
})

const DRAFT = operation({
  id: 'draftBrand',
  tag: 'Brands',
  summary: 'Save a brand as a draft',
  description: 'No field is required. Fields that are present must be valid.',
  isExtension: true,
  scope: 'manage',
  body: PartialBrandBody,
  bodyExample: { entityName: 'Acme Coffee LLC' },
  reply: WriteReply,
  example: { success: true, brand: { ...BRAND_EXAMPLE, status: 'DRAFT' } },
  failure: { success: false },
})

const LIST = operation({
  id: 'listBrands',
  tag: 'Brands',
  summary: 'List brands, newest first',
  description: 'Drafts are listed only with `status=DRAFT` or `status=ALL`.',
  scope: 'read',
  query: pageQueryWith(listFilter(BRAND_STATUSES, 'Part of a name or the EIN, or an ID')),
  reply: Type.Object({ brands: Type.Array(BrandShape), hasMore: HasMore }),
  example: { brands: [BRAND_EXAMPLE], hasMore: false },
  failure: { brands: [] },
})

const GET = operation({
  id: 'getBrand',
  tag: 'Brands',
  summary: 'Retrieve a brand',
  scope: 'read',
  params: IdParams,
  reply: Type.Object({ brand: BrandShape }),
  example: { brand: BRAND_EXAMPLE },
  failure: { brand: null },
  refuses: ['brand_missing'],
})

const PATCH = operation({
  id: 'patchBrand',
  tag: 'Brands',
  summary: 'Change a brand that is DRAFT or UNVERIFIED',
  description:
    'Omitted fields stay unchanged. null clears a field. Links can be changed and `vertical` can be added at any time.',
  isExtension: true,
  scope: 'manage',
  params: IdParams,
  body: PartialBrandBody,
  bodyExample: { ein: '98-7654321' },
  reply: WriteReply,
  example: { success: true, brand: { ...BRAND_EXAMPLE, status: 'UNVERIFIED', ein: '98-7654321' } },
  failure: { success: false },
  refuses: ['brand_missing', 'brand_state'],
})

const SUBMIT = operation({
  id: 'submitBrand',
  tag: 'Brands',
  summary: 'Submit a brand that is DRAFT or UNVERIFIED',
  isExtension: true,
  scope: 'manage',
  params: IdParams,
  reply: WriteReply,
  example: { success: true, brand: BRAND_EXAMPLE },
  failure: { success: false },
  refuses: ['brand_missing', 'brand_state', 'field_invalid'],
})

async function foldBody(request: FastifyRequest): Promise<void> {
  request.body = foldBrandBody(request.body)
}

type Options = World & { registering: Registering }

export const brandRoutes: FastifyPluginAsyncTypebox<Options> = async (app, options) => {
  const { db, clock, hints, registering } = options
  app.post('/brand/create', { ...CREATE, preValidation: foldBody }, async (request) => {
    const { caller, body } = request
    const brand = await request.once(async (tx) => {
      const fields = readBrandBody(body)
      const terms = registering.current()
      const created = await createBrand(tx, caller.accountId, fields, clock.now(), terms)
      return { success: true as const, brand: wireBrand(created) }
    })
    hints.notify('reviews')
    return brand
  })

  app.post('/brand/draft', { ...DRAFT, preValidation: foldBody }, ({ caller, body, once }) =>
    once(async (tx) => {
      const draft = await draftBrand(tx, caller.accountId, readBrandBody(body), clock.now())
      return { success: true as const, brand: wireBrand(draft) }
    }),
  )

  app.get('/brand/list', LIST, async ({ caller, query }) => {
    const page = pageOf(query)
    const found = await listBrands(db, caller.accountId, listFilterOf(query), page)
    const { rows, hasMore } = cutPage(found, page)
    return { brands: rows.map(wireBrand), hasMore }
  })

  app.get('/brand/:id', GET, async ({ caller, params }) => ({
    brand: wireBrand(await getBrand(db, caller.accountId, params.id)),
  }))

  app.patch('/brand/:id', { ...PATCH, preValidation: foldBody }, (request) => {
    const { caller, params, body } = request
    return request.once(async (tx) => {
      const fields = readBrandBody(body)
      const changed = await patchBrand(tx, caller.accountId, params.id, fields, clock.now())
      return { success: true as const, brand: wireBrand(changed) }
    })
  })

  app.post('/brand/:id/submit', SUBMIT, async ({ caller, params, once }) => {
    const answer = await once(async (tx) => {
      const terms = registering.current()
      const submitted = await submitBrand(tx, caller.accountId, params.id, clock.now(), terms)
      return { success: true as const, brand: wireBrand(submitted) }
    })
    hints.notify('reviews')
    return answer
  })
}
