// The words that campaign-check.ts searches for. Reviewers' habits change, and these lists have to follow
// them.

import type { Usecase } from '../usecase.js'

/** Carriers block public link shorteners, because spammers use them. */
export const SHORTENERS: readonly string[] = [
  'bit.ly',
  'bitly.com',
  'buff.ly',
  'cutt.ly',
  'goo.gl',
  'is.gd',
  'lnkd.in',
  'ow.ly',
  'rb.gy',
  'rebrand.ly',
  'shorturl.at',
  't.co',
  't.ly',
  'tiny.cc',
  'tinyurl.com',
  'v.gd',
]

/** Bare "cancel" and "end" are too common in other senses to count. */
export const OPTOUT_WORDS =
  /\b(stop|unsubscribe|opt[ -]?out|(reply|text|send) "?(cancel|quit|end|revoke))\b/i

/** Ways in which a person can consent. A consent flow that names none of them is empty. */
export const CONSENT_WORDS =
  /\b(web ?site|web|online|form|check ?box|(tick|check)(s|ed)? (a|the) box|opt(s|ed)?[ -]?in|sign(s|ed)?[ -]?up|subscribe[sd]?|register(s|ed)?|text(s|ed|ing)?|keyword|checkout|account|app|paper|in person|verbal(ly)?|phone|call(s|ed)?|agree[sd]?|consent(s|ed)?|qr code)\b/i

export const WEB_CONSENT_WORDS = /\b(web ?site|web|online|form|check ?box|checkout|page)\b/i

export const LINK = /\bhttps?:\/\/\S+|\bwww\.\S+/i

export const PRIVACY_WORDS = /\bprivacy\b/i

/** Content that carriers never carry. */
export const RESTRICTED: readonly { pattern: RegExp; name: string }[] = [
  { pattern: /\b(cannabis|marijuana|cbd|thc|hemp)\b/i, name: 'cannabis' },
  { pattern: /\b(vape|vaping|e-?cigarettes?|tobacco|nicotine)\b/i, name: 'tobacco' },
  { pattern: /\b(casino|gambling|betting|sweepstakes|lottery)\b/i, name: 'gambling' },
  {
    pattern: /\b(payday loans?|cash advance|debt (relief|collection)|credit repair)\b/i,
    name: 'high-risk credit',
  },
  { pattern: /\b(firearms?|ammunition|handguns?|rifles?)\b/i, name: 'firearms' },
  {
    pattern: /\b(work from home|get rich|earn \$?\d+ (a|per) (day|week))\b/i,
    name: 'get-rich offers',
  },
]

/** A sample with these words is advertising, whatever the campaign's use case. */
export const MARKETING_WORDS =
  /\b(\d+ ?% off|% off|sale|discounts?|coupons?|promo( code)?|special offers?|deals?|limited time|shop now|buy now|free gift)\b/i

/** Next to a number, they make it a sign-in code. */
export const SIGN_IN_WORDS =
  /\b(verification|security code|log-?in|sign-?in|one-?time|passcode|otp|2fa)\b/i

/**
 * At least one sample of such a campaign should contain one of these. Use cases not listed allow anything.
 */
export const TYPICAL_WORDS: Partial<Record<Usecase, { pattern: RegExp; like: string }>> = {
  '2FA': { pattern: /\b(code|passcode|pin|otp)\b/i, like: 'Your code is 123456' },
  DELIVERY_NOTIFICATION: {
    pattern:
      /\b(deliver(y|ed|ies)?|ship(ped|ping|ment)?|order|package|parcel|arriv(e|es|ed|ing)|courier|pick(ed)? ?up)\b/i,
    like: 'Your order is out for delivery',
  },
  FRAUD_ALERT: {
    pattern:
      /\b(fraud(ulent)?|suspicious|unusual|unauthorized|transaction|charge|card|purchase)\b/i,
    like: 'Did you attempt this purchase?',
  },
  POLLING_VOTING: {
    pattern: /\b(polls?|votes?|voting|surveys?|election|ballot|rate|feedback|opinion)\b/i,
    like: 'Reply 1 or 2 to vote',
  },
  SECURITY_ALERT: {
    pattern:
      /\b(security|alert|alarm|password|login|log-?in|sign-?in|breach|detected|suspicious|unauthorized)\b/i,
    like: 'A new sign-in was detected',
  },
}
