// Every way in which a call or a message can fail, as one list for people: docs/errors.md and the page
// /docs/errors are made from it, and each failure names its position on that page in `help`.

import { REFUSALS, type RefusalCode } from '../kit/contract/refusal.js'
import { REFUSAL_HELP } from '../kit/contract/refusal-help.js'
import { MESSAGE_ERRORS, type MessageError } from '../messages/message-errors.js'

export const ERRORS_PATH = '/docs/errors'

export interface Explained {
  code: string
  /** The HTTP status, or what becomes of the message. */
  status: string
  text: string
  cause: string
  remedy: string
  isCharged: boolean
}

export interface ErrorGroup {
  title: string
  about: string
  errors: readonly Explained[]
}

/** Where a failure is explained. */
export function helpAddress(publicUrl: string, code: RefusalCode): string {
  return `${publicUrl}${ERRORS_PATH}#${code}`
}

export function errorGroups(): ErrorGroup[] {
  return [
    {
      title: 'Calls that are refused',
      about:
        'The answer has this HTTP status and the word in `code`. `error` is one sentence, often more exact than the text here, and `help` leads to this page. Nothing was done and nothing was charged.',
      errors: refusedCalls(),
    },
    {
      title: 'Messages that fail',
      about:
        'The call was answered with success; the message ended in this status later, and has the number as its `errorCode`. A message that the carrier did not accept is never charged, whatever the reason: its charge is refunded at once. "Only if accepted" means that the message is charged if the carrier accepted it and reported the failure later, in a receipt.',
      errors: failedMessages(),
    },
  ]
}

function refusedCalls(): Explained[] {
  const codes = Object.keys(REFUSALS) as RefusalCode[]
  return codes
    .map((code) => ({
      code,
      status: String(REFUSALS[code].status),
      text: REFUSALS[code].text,
      ...REFUSAL_HELP[code],
      isCharged: false,
    }))
    .sort((a, b) => compare(a.status, b.status) || compare(a.code, b.code))
}

function failedMessages(): Explained[] {
  const errors: [string, MessageError][] = Object.entries(MESSAGE_ERRORS)
  return errors.map(([code, { text, cause, remedy, isCharged, note }]) => ({
    code,
    status: code === '1400' ? 'EXPIRED' : 'FAILED',
    text,
    cause: note === undefined ? cause : `${cause} ${note}.`,
    remedy,
    isCharged,
  }))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** docs/errors.md, as `npm run openapi` writes it. */
export function errorsMarkdown(): string {
  return `# Errors

<!-- Written by \`npm run openapi\` from src/kit/contract/refusal.ts, src/kit/contract/refusal-help.ts and
src/messages/message-errors.ts: change those. -->

The same list is served by every running service at \`${ERRORS_PATH}\`.
${errorGroups().map(markdownGroup).join('')}`
}

function markdownGroup({ title, about, errors }: ErrorGroup): string {
  return `
## ${title}

${about}

| Code | Status | Text | Cause | Remedy | Charged |
|---|---|---|---|---|---|
${errors.map(markdownRow).join('')}`
}

function markdownRow(error: Explained): string {
  const anchor = `<a id="${error.code}"></a>\`${error.code}\``
  const text = error.text.replaceAll('<', '&lt;')
  const cells = [anchor, error.status, text, error.cause, error.remedy]
  return `| ${cells.join(' | ')} | ${error.isCharged ? 'only if accepted' : 'no'} |\n`
}
