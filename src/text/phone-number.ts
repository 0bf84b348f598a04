// Phone numbers as this service writes them: `+1` and ten digits. The checks follow the rules of the North American
// Numbering Plan, not a table of area codes in service. Such a table gets outdated and then refuses people with a
// new area code. The checks run for every message, so they are regexes.

const E164 = /^\+1\d{10}$/
// A number of another country is also E.164. In a query string, a plus sign may arrive as a space. Ten digits after
// one are a US number without its +1.
const FOREIGN = /^(?:\+(?!1)[1-9]\d{6,14}| (?!1)[1-9]\d{10,14})$/
const PATH_FORM = /^\+?(1\d{10})$/

// The plan reserves N9X, 37X, and 96X area codes for its own growth, and N11 for short services (911). An exchange
// starts with 2 to 9 and is not N11 either.
const AREA_CODE = String.raw`(?!37|96|.9|.11)[2-9]\d\d`
const AREA_CODE_ONLY = new RegExp(`^${AREA_CODE}$`)
const POSSIBLE = new RegExp(String.raw`^\+1${AREA_CODE}(?!.11)[2-9]\d{6}$`)

// 555-0100 to 555-0199 are assigned to nobody. They are the sandbox's recipients, in any area code.
const FICTIONAL = /^\+1[2-9]\d\d55501\d\d$/

export const TOLL_FREE_AREA_CODES: ReadonlySet<string> = new Set([
  '800',
  '822', // reserved by the plan as the next one
  '833',
  '844',
  '855',
  '866',
  '877',
  '888',
])

/** Whether the text has the form of a number. It may still not exist. */
export function isE164(text: string): boolean {
  return E164.test(text)
}

const E164_EXPECTS = 'must be a phone number in E.164 format, for example +14155550123'

/**
 * What is wrong with a text that isE164 refuses, to follow the name of the field. `canBe`: what only +1 numbers can
 * be.
 */
export function numberProblem(text: unknown, canBe = 'messaged'): string {
  return typeof text === 'string' && FOREIGN.test(text)
    ? `is not a +1 number: only +1 numbers can be ${canBe}`
    : E164_EXPECTS
}

/** The same for a path, whose numbers may lack the plus. Ten digits are a number without the 1. */
export function pathNumberProblem(text: string): string {
  const isBare = /^\d{10}$/.test(text)
  return `The number in the path ${numberProblem(isBare ? text : text.replace(/^\+?/, '+'))}`
}

export function canExist(e164: string): boolean {
  return POSSIBLE.test(e164) || FICTIONAL.test(e164)
}

export function isTollFree(e164: string): boolean {
  return TOLL_FREE_AREA_CODES.has(areaCodeOf(e164))
}

/** The three digits after `+1`. The caller has checked the number with isE164. */
export function areaCodeOf(e164: string): string {
  return e164.slice(2, 5)
}

/** Whether three digits can be an area code, in service or not. */
export function isAreaCode(text: string): boolean {
  return AREA_CODE_ONLY.test(text)
}

/** `(415) 555-0123`, for people to read. Text that is not a number is returned unchanged. */
export function formatNumber(e164: string): string {
  if (!isE164(e164)) return e164
  return `(${e164.slice(2, 5)}) ${e164.slice(5, 8)}-${e164.slice(8)}`
}

/** Paths contain numbers as `14155550123`, with or without the plus. Null if it is not a number. */
export function digitsToE164(pathText: string): string | null {
  const digits = PATH_FORM.exec(pathText)?.[1]
  return digits === undefined ? null : `+${digits}`
}
