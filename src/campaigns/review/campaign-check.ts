// What reviewers typically refuse, reported before the fee is charged. A rule lists the fields with a
// problem. No rule refuses anything (decision 0010).

import type { Brand } from '../../brands/brand.js'
import type { Campaign } from '../campaign.js'
import { MIXED, USECASES, type Usecase } from '../usecase.js'
import {
  CONSENT_WORDS,
  LINK,
  MARKETING_WORDS,
  OPTOUT_WORDS,
  PRIVACY_WORDS,
  RESTRICTED,
  SHORTENERS,
  SIGN_IN_WORDS,
  TYPICAL_WORDS,
  WEB_CONSENT_WORDS,
} from './check-phrases.js'

export interface Warning {
  field: string
  problem: string
  remedy: string
}

type Checked = Pick<
  Campaign,
  'usecase' | 'subUsecases' | 'description' | 'consentFlow' | 'screenshotUrl' | 'samples'
>
type CheckedBrand = Pick<Brand, 'displayName' | 'entityName' | 'privacyLink'>

interface Text {
  field: string
  text: string
}

interface Case {
  usecases: readonly Usecase[]
  description: Text
  consentFlow: Text
  screenshotUrl: string | null
  samples: readonly Text[]
  brand: CheckedBrand
}

interface Rule {
  /** The fields with a problem; empty if all is well. */
  find: (input: Case) => string[]
  problem: string
  remedy: string
}

// The minimum lengths that registries require. Shorter texts are returned as "too vague".
const DESCRIPTION_LENGTH_MIN = 40
const CONSENT_LENGTH_MIN = 40
const SAMPLE_LENGTH_MIN = 20
const SAMPLES_EXPECTED = 2
const MIXED_MAX = 5

const TELL_CONSENT =
  'Describe where people agree (web form, checkout, keyword, paper) and what they read there.'

const TEXT_RULES: readonly Rule[] = [
  {
    find: ({ description }) =>
      description.text.length < DESCRIPTION_LENGTH_MIN ? ['description'] : [],
    problem: `is shorter than ${DESCRIPTION_LENGTH_MIN} characters, which reviewers consider vague`,
    remedy: 'Describe who sends, to whom, about what, and how often.',
  },
  {
    find: ({ consentFlow }) =>
      consentFlow.text.length < CONSENT_LENGTH_MIN ? ['consentFlow'] : [],
    problem: `is shorter than ${CONSENT_LENGTH_MIN} characters, which reviewers consider too short`,
    remedy: TELL_CONSENT,
  },
  {
    find: ({ consentFlow }) => (CONSENT_WORDS.test(consentFlow.text) ? [] : ['consentFlow']),
    problem: 'does not explain how people agree to receive texts',
    remedy: TELL_CONSENT,
  },
  {
    find: ({ consentFlow: { text }, screenshotUrl }) =>
      screenshotUrl === null && WEB_CONSENT_WORDS.test(text) && !LINK.test(text)
        ? ['screenshotUrl']
        : [],
    problem: 'is missing, and the consent flow has no link to the page where people agree',
    remedy: 'Add the page’s address to the consent flow, or add a screenshot of the page.',
  },
  {
    find: ({ brand, consentFlow }) =>
      brand.privacyLink === null && !PRIVACY_WORDS.test(consentFlow.text) ? ['consentFlow'] : [],
    problem: 'has no privacy policy, and the brand has no link to one',
    remedy: 'Add the link to the privacy policy that people see where they agree.',
  },
]

const SAMPLE_RULES: readonly Rule[] = [
  {
    find: ({ samples }) =>
      ['sample1', 'sample2'].slice(samples.length, SAMPLES_EXPECTED).slice(0, 1),
    problem: `is missing. Reviewers expect at least ${SAMPLES_EXPECTED} samples`,
    remedy: 'Add messages as you will send them, with placeholders in brackets.',
  },
  {
    find: ({ samples }) => fieldsOf(samples, (text) => text.length < SAMPLE_LENGTH_MIN),
    problem: `is shorter than ${SAMPLE_LENGTH_MIN} characters`,
    remedy: 'Write the whole message as you will send it.',
  },
  {
    find: ({ samples, brand }) => fieldsOf(samples, (text) => !namesBrand(text, brand)),
    problem: 'does not name the brand',
    remedy: 'Begin the message with the brand’s name.',
  },
  {
    find: ({ samples, usecases }) => {
      // Codes respond to the recipient's own request, so they need no opt-out.
      const isCodesOnly = usecases.every((usecase) => usecase === '2FA')
      const namesWayOut = samples.some(({ text }) => OPTOUT_WORDS.test(text))
      return isCodesOnly || namesWayOut ? [] : samples.slice(0, 1).map(({ field }) => field)
    },
    problem: 'does not explain how to opt out, and neither does any other sample',
    remedy: 'Add "Reply STOP to opt out." to at least one sample.',
  },
  {
    find: ({ samples, usecases }) =>
      usecases.includes('MARKETING') ? [] : fieldsOf(samples, (text) => MARKETING_WORDS.test(text)),
    problem: 'reads like marketing, which is not one of the use cases',
    remedy: 'Add MARKETING to the use cases, or remove the offer.',
  },
  {
    find: ({ samples, usecases }) =>
      usecases.some((usecase) => MAY_CARRY_CODES.includes(usecase))
        ? []
        : fieldsOf(samples, (text) => SIGN_IN_WORDS.test(text) && /\b\d{4,8}\b/.test(text)),
    problem: 'contains a sign-in code, and 2FA is not one of the use cases',
    remedy: 'Add 2FA to the use cases, or remove the code.',
  },
]

const MAY_CARRY_CODES: readonly Usecase[] = [
  '2FA',
  'ACCOUNT_NOTIFICATION',
  'FRAUD_ALERT',
  'SECURITY_ALERT',
]

const LINK_RULES: readonly Rule[] = SHORTENERS.map((host) => {
  // t.co must not match in t.com, at.co, or x.t.co.example.
  const pattern = new RegExp(
    `(?<![\\w.-])(?:www\\.)?${host.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`,
    'i',
  )
  return {
    find: ({ samples, description, consentFlow }) =>
      fieldsOf([description, consentFlow, ...samples], (text) => pattern.test(text)),
    problem: `has a link shortened by ${host}, which carriers block`,
    remedy: 'Use the full address, or your own short domain.',
  }
})

const USECASE_RULES: readonly Rule[] = USECASES.flatMap((usecase) => {
  const typical = TYPICAL_WORDS[usecase]
  if (!typical) return []
  return {
    find: ({ samples, usecases }) =>
      usecases.includes(usecase) &&
      samples.length > 0 &&
      !samples.some(({ text }) => typical.pattern.test(text))
        ? ['usecase']
        : [],
    problem: `is ${usecase}, but no sample matches it`,
    remedy: `Add a sample such as "${typical.like}", or choose the use case of your samples.`,
  }
})

const MIXED_RULES: readonly Rule[] = [
  {
    find: ({ usecases }) => (usecases.length > MIXED_MAX ? ['usecase'] : []),
    problem: 'has more than five use cases. Registries accept two to five in a MIXED campaign',
    remedy: 'Keep only the use cases of your samples, or create two campaigns.',
  },
]

const CONTENT_RULES: readonly Rule[] = RESTRICTED.map(({ pattern, name }) => ({
  find: ({ samples, description }) =>
    fieldsOf([description, ...samples], (text) => pattern.test(text)),
  problem: `is about ${name}, which carriers restrict or refuse`,
  remedy: 'Ask the operator before paying for this campaign.',
}))

const RULES = [
  ...TEXT_RULES,
  ...SAMPLE_RULES,
  ...LINK_RULES,
  ...USECASE_RULES,
  ...MIXED_RULES,
  ...CONTENT_RULES,
]

export function checkCampaign(campaign: Checked, brand: CheckedBrand): Warning[] {
  const { usecase, subUsecases, description, consentFlow, screenshotUrl } = campaign
  const input: Case = {
    usecases: usecase === null || usecase === MIXED ? subUsecases : [usecase],
    description: { field: 'description', text: description ?? '' },
    consentFlow: { field: 'consentFlow', text: consentFlow ?? '' },
    screenshotUrl,
    samples: campaign.samples.flatMap((text, i) =>
      text === null ? [] : [{ field: `sample${i + 1}`, text }],
    ),
    brand,
  }
  return RULES.flatMap(({ find, problem, remedy }) =>
    find(input).map((field) => ({ field, problem, remedy })),
  )
}

function fieldsOf(texts: readonly Text[], isAtFault: (text: string) => boolean): string[] {
  return texts.filter(({ text }) => isAtFault(text)).map(({ field }) => field)
}

function namesBrand(text: string, { displayName, entityName }: CheckedBrand): boolean {
  const words = ` ${normalizedText(text)} `
  return [displayName, entityName]
    .map((name) => normalizedText(name ?? '').replace(LEGAL_FORM, ''))
    .some((name) => name !== '' && words.includes(` ${name} `))
}

// "Acme Coffee, LLC" and "ACME COFFEE:" are the same name to a reader.
const LEGAL_FORM = / (inc|incorporated|llc|ltd|limited|corp|corporation|co|company)$/

function normalizedText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
