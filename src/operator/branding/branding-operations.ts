// What the endpoints for branding accept, return, and refuse.

import { type Static, Type } from 'typebox'
import { operation } from '../../kit/contract/operation.js'
import { IdParams, IdText, Noun, NullableString } from '../../kit/contract/schema.js'
import {
  BRAND_NAME_MAX,
  type Branding,
  COLOR_EXPECTS,
  LOGO_BYTES_MAX,
  LOGO_EXPECTS,
  SUPPORT_EXPECTS,
  SUPPORT_MAX,
  textOn,
} from '../../kit/settings/branding-rules.js'

const BASE64_MAX = Math.ceil(LOGO_BYTES_MAX / 3) * 4

export const BrandingShape = Noun('Branding', {
  name: NullableString,
  color: Type.Unsafe<string | null>({ type: ['string', 'null'], description: '#rrggbb' }),
  textColor: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Black or white: text in it has a contrast of at least 4.5:1 on `color`',
  }),
  support: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'An email address or an https URL',
  }),
  logoUrl: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'A path' }),
})

const EXAMPLE: Static<typeof BrandingShape> = {
  name: 'Kite Texting',
  color: '#006972',
  textColor: '#ffffff',
  support: 'help@kite.example',
  logoUrl: '/console/branding/logo?account=acc_01km3v9w8m0000pqv3t5x7z9bd&v=4f2a9c01d3e5b677',
}

function field(maxLength: number, description: string, expects: string) {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength,
      description: `${description}. null: that of the installation`,
      'x-expects': expects,
    }),
  )
}

export const GET_BRANDING = operation({
  id: 'operatorGetBranding',
  tag: 'Operator',
  summary: 'Get the branding of an account',
  description: 'Fields that are null come from the installation (LONGCODE_BRAND_…).',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  reply: Type.Object({ branding: BrandingShape }),
  example: { branding: EXAMPLE },
  failure: { branding: null },
  refuses: ['account_missing'],
})

export const SET_BRANDING = operation({
  id: 'operatorSetBranding',
  tag: 'Operator',
  summary: 'Change the branding of an account',
  description:
    'The account sees this name, color, logo, and support address in the console and at `/console/sign-in?account=ID`. Omitted fields stay unchanged.',
  isExtension: true,
  scope: 'operator',
  params: IdParams,
  body: Type.Object({
    name: field(
      BRAND_NAME_MAX,
      'Instead of Longcode',
      `must have at most ${BRAND_NAME_MAX} characters`,
    ),
    color: field(7, 'Background of buttons, #rrggbb', COLOR_EXPECTS),
    support: field(SUPPORT_MAX, 'An email address or an https URL', SUPPORT_EXPECTS),
    logo: field(BASE64_MAX, 'A PNG, JPEG, or WebP image in base64', LOGO_EXPECTS),
  }),
  bodyExample: { name: 'Kite Texting', color: '#006972', support: 'help@kite.example' },
  reply: Type.Object({ success: Type.Literal(true), branding: BrandingShape }),
  example: { success: true, branding: EXAMPLE },
  failure: { success: false },
  refuses: ['account_missing'],
})

export const SHOW_BRANDING = operation({
  id: 'getConsoleBranding',
  tag: 'Console',
  summary: 'Get the name, color, logo, and support address that the console shows',
  description: 'Public, for the sign-in page. For an unknown account, that of the installation.',
  isExtension: true,
  scope: null,
  query: Type.Object({ account: Type.Optional(IdText({ description: 'The ID of an account' })) }),
  reply: Type.Object({ branding: BrandingShape }),
  example: { branding: EXAMPLE },
  failure: { branding: null },
})

/** `account`: whose logo it is. Null: the installation's. */
export function wireBranding(
  { name, color, support, logo }: Branding,
  account: string | null,
): Static<typeof BrandingShape> {
  const query = account === null ? '' : `account=${account}&`
  return {
    name,
    color,
    textColor: color && textOn(color),
    support,
    logoUrl: logo && `/console/branding/logo?${query}v=${logo.hash}`,
  }
}
