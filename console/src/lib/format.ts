// Phone numbers, money, and counts as people read them. Copying gives the original value.

/** (415) 555-0100, with non-breaking spaces. Other numbers are returned unchanged. */
export function formatPhone(phone: string): string {
  const us = /^\+?1(\d{3})(\d{3})(\d{4})$/.exec(phone)
  return us ? `(${us[1]})\u00a0${us[2]}-${us[3]}` : phone
}

/** The digits of typed text, as E.164 if it is a US number. */
export function readPhone(text: string): string {
  const digits = text.replace(/\D/g, '')
  if (digits.length === 10) return `+1${digits}`
  return digits.length === 11 && digits.startsWith('1') ? `+${digits}` : text.trim()
}

/**
 * Dollars as the API returns them. Two decimals, or four if the amount needs them: a segment costs $0.0079, and a
 * row never rounds.
 */
export function formatMoney(dollars: number, digits?: number): string {
  const needed = digits ?? (Math.abs(dollars * 100 - Math.round(dollars * 100)) < 1e-7 ? 2 : 4)
  const text = Math.abs(dollars).toLocaleString('en-US', {
    minimumFractionDigits: needed,
    maximumFractionDigits: needed,
  })
  return `${dollars < 0 ? '−' : ''}$${text}`
}

/** The most decimals any of these amounts needs, up to six, so a column rounds nothing. */
export function moneyDigits(dollars: readonly number[]): number {
  const needed = dollars.map((one) => {
    const micros = String(Math.abs(Math.round(one * 1_000_000)) % 1_000_000).padStart(6, '0')
    return micros.replace(/0{1,6}$/, '').length
  })
  return Math.max(2, ...needed)
}

/** For headings, where cents are enough. Rounds down. */
export function floorMoney(dollars: number): string {
  return formatMoney(Math.floor(dollars * 100 + 1e-7) / 100, 2)
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** 1 segment, 2 segments. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
