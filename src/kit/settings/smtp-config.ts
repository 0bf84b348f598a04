// The mail server that sends emails, such as alerts.

import { BadSetting, type Env, text } from './setting-reader.js'

export interface SmtpConfig {
  /** May contain a password: never log it. */
  url: string
  /** The sender, as in `alerts@example.com` or `Example <alerts@example.com>`. */
  from: string
}

const URL_NAME = 'LONGCODE_SMTP_URL'
const FROM_NAME = 'LONGCODE_SMTP_FROM'
const ADDRESS = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,255}$/

/** Null: the service sends no emails. */
export function readSmtp(env: Env): SmtpConfig | null {
  const url = text(env, URL_NAME)
  if (url === null) return null
  // The value may contain a password, so the text does not repeat it.
  if (!/^smtps?:\/\/[^\s/]/.test(url) || !URL.canParse(url)) {
    throw new BadSetting(
      `${URL_NAME} must be a URL such as smtps://user:password@mail.example.com:465 or smtp://mail.example.com:587.`,
    )
  }
  const from = text(env, FROM_NAME)
  if (from === null) throw new BadSetting(`${FROM_NAME} is required if ${URL_NAME} is set.`)
  if (!isSender(from)) {
    throw new BadSetting(
      `${FROM_NAME} must be an address such as alerts@example.com or Example <alerts@example.com>, not "${from}".`,
    )
  }
  return { url, from }
}

function isSender(from: string): boolean {
  if (!from.endsWith('>')) return ADDRESS.test(from)
  const at = from.lastIndexOf('<')
  return at > 0 && !/[\r\n"]/.test(from) && ADDRESS.test(from.slice(at + 1, -1))
}
