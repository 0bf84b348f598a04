// The fields of a record in review order, named as in the API and in notes.

import type { Brand, Campaign } from '../../../../generated/types.gen'

export interface ReviewField {
  field: string
  value: string
}

export function brandFields(brand: Brand): ReviewField[] {
  const { entityName, displayName, entityType, ein, website, privacyLink, address, contact } = brand
  const values = {
    entityName,
    displayName,
    entityType,
    ein,
    website,
    privacyLink: privacyLink ?? '',
    ...address,
    ...contact,
  }
  return fieldsOf(values)
}

export function campaignFields(campaign: Campaign): ReviewField[] {
  const { displayName, usecase, subUsecases, details } = campaign
  const { description, consentFlow, screenshotUrl, ...rest } = details
  const { sample1, sample2, sample3, sample4, sample5, ...replies } = rest
  const values: Record<string, unknown> = {
    displayName,
    usecase,
    ...(subUsecases.length > 0 && { subUsecases }),
    description,
    consentFlow,
    screenshotUrl: screenshotUrl ?? '',
    sample1,
    sample2,
    ...(sample3 && { sample3 }),
    ...(sample4 && { sample4 }),
    ...(sample5 && { sample5 }),
    ...replies,
  }
  return fieldsOf(values)
}

function fieldsOf(values: Record<string, unknown>): ReviewField[] {
  return Object.entries(values).map(([field, value]) => ({
    field,
    value: Array.isArray(value) ? value.join(', ') : String(value ?? ''),
  }))
}
