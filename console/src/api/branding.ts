// What the console shows instead of our name and mark: the account's branding, or that of the installation.

import { queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Branding } from '../../generated/types.gen'
import { brandName, setBrandName } from '../lib/brand-name'
import { request } from './request'
import { sessionQuery } from './session'

/** Null: before signing in, without an account in the URL. */
function brandingQuery(account: string | null) {
  return queryOptions({
    queryKey: ['branding', account],
    queryFn: ({ signal }) => request('GET /console/branding', { query: { account }, signal }),
    staleTime: 300_000,
  })
}

/** The sign-in page of a reseller's customer names the account in its URL. */
export function useBranding(): Branding | null {
  const session = useQuery({ ...sessionQuery, enabled: false }).data
  const account =
    session?.account?.accountId ?? new URLSearchParams(location.search).get('account') ?? null
  return useQuery(brandingQuery(account)).data?.branding ?? null
}

export function useBrandName(): string {
  return useBranding()?.name ?? brandName()
}

/** Buttons in the reseller's color, with text that can be read on it, and its name in the title. */
export function useBrandStyle(): void {
  const branding = useBranding()
  const color = branding?.color ?? null
  const textColor = branding?.textColor ?? null
  const name = branding?.name ?? null
  useEffect(() => {
    const { style } = document.documentElement
    const values = {
      '--color-accent': color,
      '--color-on-accent': textColor,
      // Away from the color of the text, so it stays as easy to read.
      '--color-accent-hover':
        color && `color-mix(in srgb, ${color} 88%, ${textColor === '#ffffff' ? '#000' : '#fff'})`,
    }
    for (const [property, value] of Object.entries(values)) {
      if (value) style.setProperty(property, value)
      else style.removeProperty(property)
    }
  }, [color, textColor])
  useEffect(() => setBrandName(name), [name])
}
