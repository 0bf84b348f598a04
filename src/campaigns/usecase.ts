// The contract's use cases, and the three forms that requests may use for them (decision 0010).

import { echo, fieldRefusal } from '../kit/contract/refusal.js'

export const USECASES = [
  '2FA',
  'ACCOUNT_NOTIFICATION',
  'CUSTOMER_CARE',
  'DELIVERY_NOTIFICATION',
  'FRAUD_ALERT',
  'MARKETING',
  'POLLING_VOTING',
  'SECURITY_ALERT',
  'HIGHER_EDUCATION',
  'K12_EDUCATION',
] as const

export type Usecase = (typeof USECASES)[number]

/** Means several; subUsecases lists them. */
export const MIXED = 'MIXED'

/** One name, a list of names, or an object whose keys are names and whose values are notes. */
export type UsecaseInput = string | readonly string[] | Readonly<Record<string, unknown>>

export interface UsecaseChoice {
  usecase: Usecase | typeof MIXED
  subUsecases: Usecase[]
}

/** One name stays itself; several become MIXED. The order is kept, each name once. */
export function readUsecase(
  input: UsecaseInput,
  subUsecases: readonly string[] = [],
): UsecaseChoice {
  const inputNames = namesOf(input)
  if (inputNames.length === 0) throw fieldRefusal('usecase', 'is required')
  const names = [
    ...inputNames.filter((name) => name !== MIXED).map((name) => checkName('usecase', name)),
    ...subUsecases.map((name) => checkName('subUsecases', name)),
  ]
  const several = [...new Set(names)]
  const [first] = several
  if (first === undefined) {
    throw fieldRefusal('subUsecases', 'must list the use cases if usecase is MIXED')
  }
  return several.length === 1
    ? { usecase: first, subUsecases: [] }
    : { usecase: MIXED, subUsecases: several }
}

/** For people: DELIVERY_NOTIFICATION reads "Delivery notification". */
export function usecaseLabel(usecase: string): string {
  const words = usecase.replaceAll('_', ' ')
  const [first = '', ...rest] = words.split(' ')
  const capital = /\d/.test(first) ? first : first.charAt(0) + first.slice(1).toLowerCase()
  return [capital, ...rest.map((word) => word.toLowerCase())].join(' ')
}

function namesOf(input: UsecaseInput): string[] {
  if (typeof input === 'string') return input.trim() === '' ? [] : [input.trim()]
  return Array.isArray(input) ? [...input] : Object.keys(input)
}

const SHOWN_LENGTH_MAX = 40

function checkName(field: string, name: string): Usecase {
  const match = USECASES.find((usecase) => usecase === name)
  if (match) return match
  throw fieldRefusal(
    field,
    `${echo(name, SHOWN_LENGTH_MAX)} is unknown. Use ${USECASES.join(', ')}`,
  )
}
