// Finds the page for pasted text: an id of any kind, or a phone number in any format.

import { formatPhone, readPhone } from './format'

export interface Found {
  /** A label for it. */
  label: string
  /** Null if the service must look it up first: see pages/Go.tsx. */
  path: string | null
}

const PLACES: Record<string, { what: string; path: ((id: string) => string) | null }> = {
  brd: { what: 'Brand', path: (id) => `/brands/${id}` },
  cmp: { what: 'Campaign', path: (id) => `/campaigns/${id}` },
  msg: { what: 'Message', path: (id) => `/messages/${id}` },
  whk: { what: 'Webhook', path: (id) => `/webhooks/${id}` },
  dlv: { what: 'Delivery', path: null },
}

export function find(text: string): Found | null {
  const input = text.trim()
  const id = /^([a-z]{3})_[0-9a-z]+$/i.exec(input)
  const place = id ? PLACES[id[1]!.toLowerCase()] : undefined
  if (place) return { label: `${place.what} ${input}`, path: place.path?.(input) ?? null }
  const phone = readPhone(input)
  if (/^\+\d{10,15}$/.test(phone) && /^[\d\s().+-]+$/.test(input)) {
    return { label: `Messages with ${formatPhone(phone)}`, path: null }
  }
  return null
}
