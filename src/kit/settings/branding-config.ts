// The name, color, logo, and support address of the installation, for resellers.

import { readFileSync } from 'node:fs'
import {
  BRAND_NAME_MAX,
  type Branding,
  COLOR_EXPECTS,
  isColor,
  isSupportAddress,
  LOGO_EXPECTS,
  type Logo,
  readLogo,
  SUPPORT_EXPECTS,
} from './branding-rules.js'
import { BadSetting, type Env, text } from './setting-reader.js'

export function readBranding(env: Env): Branding {
  const checked = (name: string, isGood: (value: string) => boolean, expects: string) => {
    const value = text(env, name)
    if (value === null || isGood(value)) return value
    throw new BadSetting(`${name} ${expects}, not "${value}".`)
  }
  const nameExpects = `must have at most ${BRAND_NAME_MAX} characters`
  return {
    name: checked('LONGCODE_BRAND_NAME', ({ length }) => length <= BRAND_NAME_MAX, nameExpects),
    color: checked('LONGCODE_BRAND_COLOR', isColor, COLOR_EXPECTS)?.toLowerCase() ?? null,
    support: checked('LONGCODE_BRAND_SUPPORT', isSupportAddress, SUPPORT_EXPECTS),
    logo: logoOf(text(env, 'LONGCODE_BRAND_LOGO')),
  }
}

function logoOf(file: string | null): Logo | null {
  if (file === null) return null
  let content: Buffer
  try {
    content = readFileSync(file)
  } catch {
    throw new BadSetting(`LONGCODE_BRAND_LOGO=${file} cannot be read.`)
  }
  const logo = readLogo(content)
  if (logo === null) throw new BadSetting(`LONGCODE_BRAND_LOGO ${LOGO_EXPECTS}.`)
  return logo
}
