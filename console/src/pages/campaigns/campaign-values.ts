// The campaign form's fields: reading them from a campaign, writing them to the API, and validating them with the
// API's error texts. The pre-check covers everything else that reviewers object to.

import type { Campaign, CreateCampaignBody } from '../../../generated/types.gen'
import type { Problems } from '../registry/use-form'

export interface CampaignValues {
  brandId: string
  usecase: string[]
  displayName: string
  isLowVolume: boolean
  description: string
  sample1: string
  sample2: string
  sample3: string
  sample4: string
  sample5: string
  consentFlow: string
  screenshotUrl: string
  optoutKeywords: string
  optoutMessage: string
  optinKeywords: string
  optinMessage: string
  helpKeywords: string
  helpMessage: string
}

export const SAMPLES = ['sample1', 'sample2', 'sample3', 'sample4', 'sample5'] as const

export function blankCampaign(brandId: string): CampaignValues {
  return {
    brandId,
    usecase: [],
    displayName: '',
    isLowVolume: false,
    description: '',
    sample1: '',
    sample2: '',
    sample3: '',
    sample4: '',
    sample5: '',
    consentFlow: '',
    screenshotUrl: '',
    optoutKeywords: '',
    optoutMessage: '',
    optinKeywords: '',
    optinMessage: '',
    helpKeywords: '',
    helpMessage: '',
  }
}

export const CAMPAIGN_LABELS: Record<string, string> = {
  brandId: 'Brand',
  usecase: 'Use case',
  subUsecases: 'Use case',
  displayName: 'Name',
  isLowVolume: 'Low volume',
  description: 'Description',
  sample1: 'Sample 1',
  sample2: 'Sample 2',
  sample3: 'Sample 3',
  sample4: 'Sample 4',
  sample5: 'Sample 5',
  consentFlow: 'Consent flow',
  screenshotUrl: 'Screenshot URL',
  optoutKeywords: 'Opt-out keywords',
  optoutMessage: 'Opt-out reply',
  optinKeywords: 'Opt-in keywords',
  optinMessage: 'Opt-in reply',
  helpKeywords: 'Help keywords',
  helpMessage: 'Help reply',
  holdAtDailyCap: 'Hold at the daily cap',
  actsOnNearOptout: 'Opt-outs without a keyword',
}

export const USECASES: readonly { value: string; label: string; what: string }[] = [
  { value: 'ACCOUNT_NOTIFICATION', label: 'Account notification', what: 'reminders and alerts' },
  { value: 'CUSTOMER_CARE', label: 'Customer care', what: 'your team answers questions' },
  { value: 'DELIVERY_NOTIFICATION', label: 'Delivery notification', what: 'package tracking' },
  { value: '2FA', label: '2FA', what: 'login codes' },
  { value: 'SECURITY_ALERT', label: 'Security alert', what: 'security incidents' },
  { value: 'FRAUD_ALERT', label: 'Fraud alert', what: 'suspicious account activity' },
  { value: 'MARKETING', label: 'Marketing', what: 'offers and news' },
  { value: 'POLLING_VOTING', label: 'Polling and voting', what: 'surveys and votes' },
  { value: 'HIGHER_EDUCATION', label: 'Higher education', what: 'colleges and universities' },
  { value: 'K12_EDUCATION', label: 'K-12 education', what: 'schools' },
]

export function describeUsecase({ usecase, subUsecases }: Campaign): string {
  const names = usecase === 'MIXED' ? subUsecases : [usecase]
  return names
    .map((name) => USECASES.find(({ value }) => value === name)?.label ?? name)
    .filter((name) => name !== '')
    .join(', ')
}

export function valuesOfCampaign({ details, ...campaign }: Campaign): CampaignValues {
  const { usecase, subUsecases, brandId, displayName, isLowVolume } = campaign
  return {
    brandId,
    usecase: usecase === 'MIXED' ? subUsecases : usecase ? [usecase] : [],
    displayName,
    isLowVolume,
    description: details.description,
    sample1: details.sample1 ?? '',
    sample2: details.sample2 ?? '',
    sample3: details.sample3 ?? '',
    sample4: details.sample4 ?? '',
    sample5: details.sample5 ?? '',
    consentFlow: details.consentFlow,
    screenshotUrl: details.screenshotUrl ?? '',
    optoutKeywords: details.optoutKeywords.join(', '),
    optoutMessage: details.optoutMessage,
    optinKeywords: details.optinKeywords.join(', '),
    optinMessage: details.optinMessage,
    helpKeywords: details.helpKeywords.join(', '),
    helpMessage: details.helpMessage,
  }
}

const LISTS = ['optoutKeywords', 'optinKeywords', 'helpKeywords'] as const

/** As the API accepts it. Blank text means none, or the default if there is one. Blank lists are left out. */
export function campaignBody(values: CampaignValues): CreateCampaignBody {
  const { brandId, usecase, isLowVolume, ...texts } = values
  const entries = Object.entries(texts)
    .filter(([name]) => !(LISTS as readonly string[]).includes(name))
    .map(([name, text]) => [name, text.trim() || null])
  const lists = LISTS.flatMap((name) => {
    const words = wordsOf(values[name])
    return words.length > 0 ? [[name, words]] : []
  })
  return {
    ...(brandId && { brandId }),
    ...(usecase.length > 0 && { usecase }),
    isLowVolume,
    ...Object.fromEntries([...entries, ...lists]),
  } as CreateCampaignBody
}

function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

const REQUIRED = ['brandId', 'usecase', 'description', 'consentFlow'] as const
const WEB = /^https?:\/\/[^\s/?#\\]+([/?#]\S*)?$/i

/** `asked`: fields that a registration provider requires beyond the contract. */
export function campaignProblems(
  values: CampaignValues,
  required: readonly string[] = [],
): Problems {
  const samples = SAMPLES.filter((name) => required.includes(name))
  const missing = [...REQUIRED, ...samples].filter((name) => isBlank(values[name]))
  return {
    ...Object.fromEntries(missing.map((name) => [name, `${CAMPAIGN_LABELS[name]} is required`])),
    ...draftProblems(values),
  }
}

/** Problems that prevent even saving a draft. */
export function draftProblems({ brandId, screenshotUrl }: CampaignValues): Problems {
  const isWeb = screenshotUrl.trim() === '' || WEB.test(screenshotUrl.trim())
  return {
    ...(brandId === '' && { brandId: 'Brand is required' }),
    ...(!isWeb && {
      screenshotUrl: 'Screenshot URL must be a web address such as https://www.example.com',
    }),
  }
}

function isBlank(value: string | readonly string[]): boolean {
  return typeof value === 'string' ? value.trim() === '' : value.length === 0
}
