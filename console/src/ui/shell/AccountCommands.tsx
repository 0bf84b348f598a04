// ⌘K in an account: pages, records by name, number, or ID, error codes, texts, and actions. Loaded on first use.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import { brandsQuery, campaignsQuery, numbersQuery, webhooksQuery } from '../../api/queries'
import { request } from '../../api/request'
import { useMay, useSession, useSignOut } from '../../api/session'
import { describeError } from '../../lib/describe-error'
import { find } from '../../lib/find'
import { formatPhone, readPhone } from '../../lib/format'
import { CommandMenu } from './CommandMenu'
import {
  type Command,
  type CommandGroup,
  type Go,
  MOST_NAMES,
  matching,
  placeCommands,
} from './commands'
import type { NavItem } from './nav'
import { useNamed } from './use-named'
import { useTheme } from './use-theme'

export default function AccountCommands(
  props: Omit<ComponentProps<typeof CommandMenu>, 'useCommands'>,
) {
  return <CommandMenu {...props} useCommands={useAccountCommands} />
}

function useAccountCommands(
  text: string,
  places: readonly NavItem[],
  onHelp: () => void,
): CommandGroup[] {
  const navigate = useNavigate()
  const go: Go = (path) => () => void navigate({ to: path })
  const does = useDeeds(go, onHelp)
  const names = useNames(go)
  const contacts = useContacts(text, go)
  const isTyped = text.trim() !== ''
  return [
    { value: 'Results', items: findItems(text, go) },
    { value: 'Go to', items: matching(text, placeCommands(places, go)) },
    { value: 'Actions', items: matching(text, does) },
    { value: 'Names', items: isTyped ? matching(text, names).slice(0, MOST_NAMES) : [] },
    { value: 'Contacts', items: contacts },
    { value: 'Messages', items: messageItems(text, go) },
  ]
}

/** Records whose names the console has anyway. */
function useNames(go: Go): Command[] {
  const enabled = useMay('read')
  const brands = useQuery({ ...brandsQuery, enabled }).data?.brands ?? []
  const campaigns = useQuery({ ...campaignsQuery, enabled }).data?.campaigns ?? []
  const webhooks = useQuery({ ...webhooksQuery, enabled }).data?.webhooks ?? []
  const numbers = useQuery({ ...numbersQuery, enabled }).data?.numbers ?? []
  return [
    ...campaigns.map(({ id, displayName }) => ({
      value: displayName || id,
      hint: 'Campaign',
      run: go(`/campaigns/${id}`),
    })),
    ...brands.map(({ id, displayName, entityName }) => ({
      value: displayName || entityName || id,
      hint: 'Brand',
      run: go(`/brands/${id}`),
    })),
    ...webhooks.map(({ id, name, url }) => ({
      value: name || url,
      hint: 'Webhook',
      run: go(`/webhooks/${id}`),
    })),
    ...numbers.map(({ phoneNumber }) => ({
      value: formatPhone(phoneNumber),
      hint: 'Number',
      run: go(`/numbers/${phoneNumber.slice(1)}`),
    })),
  ]
}

function useContacts(text: string, go: Go): Command[] {
  return useNamed(text, {
    kind: ['contacts'],
    enabled: useMay('read'),
    read: async ({ text: name, limit }, signal) =>
      (await request('GET /v1/contact/list', { query: { name, limit }, signal })).contacts,
    command: ({ name, phoneNumber }) => ({
      value: name,
      hint: formatPhone(phoneNumber),
      run: go(`/messages?number=${encodeURIComponent(phoneNumber)}`),
    }),
  })
}

function findItems(text: string, go: Go): Command[] {
  const code = /^\d{3,5}$/.test(text.trim()) ? Number(text) : null
  const words = code === null ? null : describeError(code)
  if (words) {
    const value = `Messages with error ${code}: ${words.headline}`
    return [{ value, hint: 'open', run: go(`/messages?errorCode=${code}`) }]
  }
  const found = find(text)
  if (!found) return []
  const path = found.path ?? `/go/${encodeURIComponent(text.trim())}`
  const items: Command[] = [{ value: found.label, hint: 'open', run: go(path) }]
  const phone = readPhone(text)
  if (phone.startsWith('+')) {
    items.push({
      value: `Send to ${text.trim()}`,
      run: go(`/send?to=${encodeURIComponent(phone)}`),
    })
  }
  return items
}

/** Whatever was typed may be in a text. */
function messageItems(text: string, go: Go): Command[] {
  const wanted = text.trim()
  if (wanted.length < 3 || wanted.length > 100) return []
  const run = go(`/messages?text=${encodeURIComponent(JSON.stringify(wanted))}`)
  return [{ value: `Messages that contain “${wanted}”`, hint: 'search', run }]
}

function useDeeds(go: Go, onHelp: () => void): Command[] {
  const { account, operator } = useSession()
  const may = (scope: NonNullable<NavItem['scope']>, items: Command[]) =>
    account?.scopes.includes(scope) ? items : []
  const signOut = useSignOut()
  const { theme, next } = useTheme()
  const deeds: Command[] = [
    ...may('send', [{ value: 'Send message', hint: 'c', run: go('/send') }]),
    ...may('manage', [
      { value: 'Create brand', run: go('/brands/new') },
      { value: 'Create campaign', run: go('/campaigns/new') },
      { value: 'Buy a number', run: go('/numbers/buy') },
      { value: 'Create webhook', run: go('/webhooks/new') },
    ]),
    ...may('read', [{ value: 'Open latest message', run: go('/messages/latest') }]),
    { value: `Change theme (now ${theme})`, hint: 't', run: next },
    { value: 'Keyboard shortcuts', hint: '?', run: onHelp },
    { value: 'API reference', run: () => location.assign('/docs/api') },
    { value: 'Documentation', run: () => location.assign('/docs') },
    { value: 'Sign out', run: () => void signOut() },
  ]
  if (operator) deeds.push({ value: 'Operator pages', run: go('/operator') })
  return deeds
}
