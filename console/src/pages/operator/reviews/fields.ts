// The fields of a record in review order, with the labels that the customer's form has.

import type { Brand, Campaign } from '../../../../generated/types.gen'
import { fieldName } from '../../../lib/field-name'
import { BRAND_LABELS } from '../../brands/brand-values'
import { CAMPAIGN_LABELS } from '../../campaigns/campaign-values'

export interface ReviewField {
  /** As notes name it. */
  field: string
  label: string
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
  return fieldsOf(values, BRAND_LABELS)
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
  return fieldsOf(values, CAMPAIGN_LABELS)
}

function fieldsOf(
  values: Record<string, unknown>,
  labels: Readonly<Record<string, string>>,
): ReviewField[] {
  return Object.entries(values).map(([field, value]) => ({
    field,
    label: labels[field] ?? fieldName(field),
    value: Array.isArray(value) ? value.join(', ') : String(value ?? ''),
  }))
}
